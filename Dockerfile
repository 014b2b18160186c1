# INTACT over HTTP. Build: docker build -t intact .
# Run:   docker run --rm -p 127.0.0.1:8000:8000 -e INTACT_TOKEN=$(openssl rand -hex 24) intact
FROM python:3.11-slim AS build
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir build && python -m build --wheel --outdir /wheels

FROM python:3.11-slim
RUN useradd --create-home --uid 10001 intact
COPY --from=build /wheels/*.whl /tmp/
RUN pip install --no-cache-dir "$(ls /tmp/*.whl)[serve,detection,formats]" && rm /tmp/*.whl
USER intact
WORKDIR /home/intact
ENV PYTHONUNBUFFERED=1
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/health')"]
# The container's own loopback is reached by nobody, so the server listens to all and asks for a token.
CMD ["intact", "serve", "--host", "0.0.0.0", "--port", "8000"]
