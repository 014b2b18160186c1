"""Currencies and units of measure: what they are called and how they convert."""

from __future__ import annotations

from typing import NamedTuple


class Currency(NamedTuple):
    """A currency: its ISO 4217 code, its plural name, and what else it is written as."""

    code: str
    name: str
    written: tuple[str, ...]


_CURRENCIES = """
EUR|euros|euro,€
USD|US dollars|us dollar,united states dollars,us$,$,dollars,dollar
GBP|pounds sterling|pound sterling,pounds,pound,£,british pounds,sterling,stg
IEP|Irish pounds|irish pound,ir£
TRY|Turkish liras|trl,turkish lira,liras,lira,turkish pounds,new turkish liras,ytl,₺
SEK|Swedish kronor|swedish krona,swedish crowns,swedish kroner,kronor
DKK|Danish kroner|danish krone,danish crowns
NOK|Norwegian kroner|norwegian krone,norwegian crowns
ISK|Icelandic krónur|icelandic krona,icelandic crowns
PLN|Polish zlotys|polish zloty,zlotys,zloty,złoty,złotych,polish złotys
PLZ|old Polish zlotys|old polish zloty
CHF|Swiss francs|swiss franc,sfr
FRF|French francs|french franc
BEF|Belgian francs|belgian franc
DEM|German marks|german mark,deutschmarks,deutschmark,deutsche marks,dm
ATS|Austrian schillings|austrian schilling
ITL|Italian lire|italian lira,italian liras
ESP|Spanish pesetas|spanish peseta,pesetas
PTE|Portuguese escudos|portuguese escudo
NLG|Dutch guilders|dutch guilder,guilders
FIM|Finnish marks|finnish markkas,finnish mark,markkaa
GRD|Greek drachmas|greek drachma,drachmas
CZK|Czech korunas|czech koruna,czech crowns
SKK|Slovak korunas|slovak koruna,slovak crowns
HUF|Hungarian forints|hungarian forint,forints
ROL|Romanian lei|romanian leu
RON|new Romanian lei|
BGN|Bulgarian levs|bulgarian lev,bulgarian leva
HRK|Croatian kunas|croatian kuna,kunas
RSD|Serbian dinars|serbian dinar
RUB|Russian roubles|russian rouble,russian rubles,roubles,rubles,rub
UAH|Ukrainian hryvnias|ukrainian hryvnia,hryvnias
MDL|Moldovan lei|moldovan leu
LVL|Latvian lati|latvian lats
LTL|Lithuanian litai|lithuanian litas
EEK|Estonian kroons|estonian kroon
GEL|Georgian laris|georgian lari,laris
AMD|Armenian drams|armenian dram
AZN|Azerbaijani manats|azerbaijani manat
CYP|Cyprus pounds|cyprus pound,cypriot pounds
MTL|Maltese liras|maltese lira
JPY|Japanese yen|yen,¥
CNY|Chinese yuan|yuan,renminbi
INR|Indian rupees|indian rupee,rupees,₹
CAD|Canadian dollars|canadian dollar,c$
AUD|Australian dollars|australian dollar,a$
NZD|New Zealand dollars|new zealand dollar
ZAR|South African rand|rand
ILS|Israeli shekels|shekels,new israeli shekels,₪
BRL|Brazilian reais|reais
MXN|Mexican pesos|mexican peso
XEU|ecus|ecu
"""

CURRENCIES: dict[str, Currency] = {}
"""Every way of writing a currency, in lower case, to the currency."""

for _line in _CURRENCIES.strip().splitlines():
    _code, _name, _rest = _line.split("|")
    _currency = Currency(_code, _name, tuple(filter(None, _rest.split(","))))
    for _written in (_code.lower(), _name.lower(), *_currency.written):
        CURRENCIES.setdefault(_written, _currency)


class Measure(NamedTuple):
    """A unit: what it measures, how many base units it is, its names."""

    dimension: str
    factor: float
    plural: str


_MEASURES = """
length|0.001|millimetres|mm,millimetre,millimeter,millimeters
length|0.01|centimetres|cm,cms,centimetre,centimeter,centimeters
length|1|metres|m,metre,meter,meters
length|1000|kilometres|km,kms,kilometre,kilometer,kilometers
length|0.0254|inches|inch
length|0.3048|feet|foot,ft
length|0.9144|yards|yard,yds
length|1609.344|miles|mile
area|0.0001|square centimetres|sq cm,sq. cm,cm2,square centimetre
area|1|square metres|sq. m,sq m,sq. m.,m2,sqm,sq. metres,square metre,square meters,sq,sq.
area|1000000|square kilometres|sq. km,sq km,km2,square kilometre
area|10000|hectares|hectare,ha
area|4046.86|acres|acre
area|0.0929|square feet|sq. ft,sq ft,square foot
mass|0.000001|milligrams|mg,milligram
mass|0.001|grams|g,gr,gram,grammes,gramme
mass|1|kilograms|kg,kgs,kilogram,kilogrammes,kilos,kilo
mass|1000|tonnes|tonne,tons,ton
mass|0.4536|pounds in weight|lb,lbs
mass|6.35|stone|st
volume|0.001|millilitres|ml,millilitre,milliliters
volume|0.01|centilitres|cl,centilitre
volume|1|litres|l,litre,liter,liters
volume|1000|cubic metres|m3,cubic metre,cubic meters
speed|1.609344|miles per hour|mph,mile per hour
speed|1|kilometres per hour|km/h,kph,kmh,kilometre per hour
temperature|1|degrees|degree,°c,°,degrees celsius
power|1|watts|watt,w
power|1000|kilowatts|kilowatt,kw
energy|1|kilowatt hours|kwh,kilowatt hour
pressure|1|mmHg|mmhg
concentration|1|mg/l|mg/l
"""

MEASURES: dict[str, Measure] = {}
"""Every way of writing a unit, in lower case, to the unit. Base units: metre, square metre,
kilogram, litre, kilometre per hour."""

for _line in _MEASURES.strip().splitlines():
    _dimension, _factor, _name, _rest = _line.split("|")
    for _written in (_name.lower(), *filter(None, _rest.split(","))):
        MEASURES.setdefault(_written, Measure(_dimension, float(_factor), _name))
