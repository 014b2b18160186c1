"""The public face of INTACT: each name, and where it is."""

from intact.api import Sanitizer as Sanitizer
from intact.api import detect as detect
from intact.api import load as load
from intact.api import sanitize as sanitize
from intact.api import save as save
from intact.config import Settings as Settings
from intact.config import load_settings as load_settings
from intact.config import presets as presets
from intact.domain import (
    Candidate as Candidate,
)
from intact.domain import (
    Decision as Decision,
)
from intact.domain import (
    Document as Document,
)
from intact.domain import (
    Edit as Edit,
)
from intact.domain import (
    Entity as Entity,
)
from intact.domain import (
    EntityType as EntityType,
)
from intact.domain import (
    IdentifierType as IdentifierType,
)
from intact.domain import (
    Mention as Mention,
)
from intact.domain import (
    Replacement as Replacement,
)
from intact.domain import (
    SanitizedDocument as SanitizedDocument,
)
from intact.domain import (
    Score as Score,
)
from intact.domain import (
    Span as Span,
)
from intact.errors import (
    ConfigError as ConfigError,
)
from intact.errors import (
    ContextError as ContextError,
)
from intact.errors import (
    DocumentError as DocumentError,
)
from intact.errors import (
    EditsError as EditsError,
)
from intact.errors import (
    FormatError as FormatError,
)
from intact.errors import (
    InputError as InputError,
)
from intact.errors import (
    IntactError as IntactError,
)
from intact.errors import (
    InternalError as InternalError,
)
from intact.errors import (
    LanguageError as LanguageError,
)
from intact.errors import (
    MissingExtraError as MissingExtraError,
)
from intact.errors import (
    ModelError as ModelError,
)
from intact.errors import (
    NotMeasuredError as NotMeasuredError,
)
from intact.errors import (
    ResourceError as ResourceError,
)
from intact.errors import (
    RunError as RunError,
)
from intact.evaluation import Results as Results
from intact.evaluation import evaluate as evaluate
from intact.protocols import Detected as Detected
from intact.protocols import Detection as Detection

__all__: list[str]
__version__: str
