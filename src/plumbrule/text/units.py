"""Names the units, currencies and scales that may stand beside a number, with their exact conversions."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product


def word_list(words: str) -> list[str]:
    """Return the words of a line."""
    return words.split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A unit: so many (``factor``) of the base unit of its dimension.

    Two units convert into each other when their dimensions are equal. ``other`` is a second reading of the
    same word: "pounds" are a mass or a currency.
    """

    name: str
    dimension: str
    factor: Fraction = Fraction(1)
    other: "Unit | None" = None


PERCENT = Unit(name="percent", dimension="percent")

# dimension: (factor to the base unit, every spelling of the unit; the first names it).
# A month is not thirty days, so calendar time and clock time are two dimensions.
_WORDS: dict[str, list[tuple[str, str]]] = {
    "percent": [("1", "percent pct percentage"), ("1/100", "bps bp")],
    "calendar_time": [
        ("1", "month months mo mos mth mths"),
        ("3", "quarter quarters"),
        ("12", "year years yr yrs"),
        ("120", "decade decades"),
        ("1200", "century centuries"),
    ],
    "clock_time": [
        ("1/1000", "millisecond milliseconds msec"),
        ("1/1000000", "microsecond microseconds"),
        ("1", "second seconds sec secs"),
        ("60", "minute minutes min mins"),
        ("3600", "hour hours hr hrs"),
        ("86400", "day days"),
        ("604800", "week weeks wk wks"),
        ("1209600", "fortnight fortnights"),
    ],
    "length": [
        ("1", "metre metres meter meters"),
        ("1/1000", "millimetre millimetres millimeter millimeters"),
        ("1/100", "centimetre centimetres centimeter centimeters"),
        ("1000", "kilometre kilometres kilometer kilometers kms"),
        ("127/5000", "inch inches"),
        ("381/1250", "foot feet ft"),
        ("1143/1250", "yard yards yd yds"),
        ("201168/125", "mile miles mi"),
    ],
    "area": [("10000", "hectare hectares"), ("316160658/78125", "acre acres"), ("145161/1562500", "sqft")],
    "mass": [
        ("1", "gram grams gramme grammes gm gms"),
        ("1/1000", "milligram milligrams"),
        ("1/1000000", "microgram micrograms mcg"),
        ("1000", "kilogram kilograms kilo kilos kgs"),
        ("1000000", "tonne tonnes"),
        ("45359237/100000", "lb lbs"),
        ("45359237/1600000", "ounce ounces oz"),
        ("45359237/50", "ton tons"),
    ],
    "volume": [
        ("1", "litre litres liter liters"),
        ("1/1000", "millilitre millilitres milliliter milliliters"),
        ("473176473/125000000", "gallon gallons gal"),
        ("473176473/500000000", "quart quarts qt"),
        ("473176473/1000000000", "pint pints"),
        ("473176473/2000000000", "cup cups"),
        ("473176473/32000000000", "tablespoon tablespoons tbsp tbsps tbs"),
        ("473176473/96000000000", "teaspoon teaspoons tsp tsps"),
        ("9936705933/62500000", "barrel barrels bbl"),
    ],
    "data": [
        ("1", "byte bytes"),
        ("1000", "kilobyte kilobytes"),
        ("1000000", "megabyte megabytes"),
        ("1000000000", "gigabyte gigabytes"),
        ("1000000000000", "terabyte terabytes"),
        ("1000000000000000", "petabyte petabytes"),
    ],
    "data_rate": [("1000", "kbps"), ("1000000", "mbps"), ("1000000000", "gbps")],
    "speed": [("1", "kph kmh"), ("201168/125000", "mph")],
    "energy": [("1", "calorie calories kcal kcals cal cals")],
    "degree": [("1", "degree degrees")],
    "USD": [("1", "dollar dollars buck bucks")],
    "EUR": [("1", "euro euros")],
    "JPY": [("1", "yen")],
    "INR": [("1", "rupee rupees rs")],
    "CNY": [("1", "yuan renminbi rmb")],
    "CHF": [("1", "franc francs")],
    "RUB": [("1", "rouble roubles ruble rubles")],
    "peso": [("1", "peso pesos")],
    "BTC": [("1", "bitcoin bitcoins btc")],
    "ETH": [("1", "ether eth")],
}

# Short symbols, whose case matters: MB is not Mb, mm is not MM.
_SYMBOLS: dict[str, list[tuple[str, str]]] = {
    "clock_time": [("1/1000", "ms"), ("1", "s"), ("3600", "h")],
    "length": [("1", "m"), ("1/1000", "mm"), ("1/100", "cm"), ("1000", "km"), ("1/1000000", "µm μm")],
    "area": [("1", "m² sqm"), ("1000000", "km²"), ("145161/1562500", "ft²")],
    "mass": [("1", "g"), ("1/1000", "mg"), ("1/1000000", "µg μg"), ("1000", "kg Kg KG"), ("1000000", "t")],
    "volume": [("1", "l L"), ("1/1000", "ml mL"), ("1/100", "cl"), ("1/10", "dl"), ("1000", "m³")],
    "data": [
        ("1000", "kB KB"),
        ("1000000", "MB"),
        ("1000000000", "GB"),
        ("1000000000000", "TB"),
        ("1000000000000000", "PB"),
        ("1024", "KiB"),
        ("1048576", "MiB"),
        ("1073741824", "GiB"),
    ],
    "energy_electric": [("1", "Wh"), ("1000", "kWh"), ("1000000", "MWh"), ("1000000000", "GWh")],
    "power": [("1", "W"), ("1000", "kW"), ("1000000", "MW"), ("1000000000", "GW")],
    "frequency": [("1", "Hz"), ("1000", "kHz"), ("1000000", "MHz"), ("1000000000", "GHz")],
    "voltage": [("1", "V"), ("1000", "kV")],
}

_CODES = word_list(
    "USD EUR GBP JPY INR CNY CHF CAD AUD NZD HKD SGD SEK NOK DKK PLN CZK HUF RUB BRL MXN ZAR KRW TWD "
    "THB IDR MYR PHP VND AED SAR ILS NGN KES EGP PKR BDT LKR ARS CLP COP BTC ETH"
)


def _units(table: dict[str, list[tuple[str, str]]]) -> dict[str, Unit]:
    return {
        spelling: Unit(name=spellings.split()[0], dimension=dimension, factor=Fraction(factor))
        for dimension, rows in table.items()
        for factor, spellings in rows
        for spelling in spellings.split()
    }


CODES = {code: Unit(name=code, dimension=code) for code in _CODES}


def _by_code(line: str) -> dict[str, Unit]:
    """Return the currencies that signs or letters stand for: each code follows what stands for it."""
    currencies: dict[str, Unit] = {}
    waiting: list[str] = []
    for word in line.split():
        if word in CODES:
            currencies |= dict.fromkeys(waiting, CODES[word])
            waiting = []
        else:
            waiting.append(word)
    return currencies


_CENT_EUR = Unit(name="cent", dimension="EUR", factor=Fraction(1, 100))
CENT = Unit(name="cent", dimension="USD", factor=Fraction(1, 100), other=_CENT_EUR)
_PENNY = Unit(name="penny", dimension="GBP", factor=Fraction(1, 100))
_POUND = Unit(name="pound", dimension="mass", factor=Fraction(45359237, 100000), other=CODES["GBP"])
_YEN_SIGN = Unit(name="JPY", dimension="JPY", other=CODES["CNY"])
CELSIUS = Unit(name="celsius", dimension="celsius")
FAHRENHEIT = Unit(name="fahrenheit", dimension="fahrenheit")

#: Unit words in lower case.
WORDS = _units(_WORDS) | dict.fromkeys(["cent", "cents"], CENT) | dict.fromkeys(["pound", "pounds"], _POUND)
WORDS |= {"pence": _PENNY, "celsius": CELSIUS, "fahrenheit": FAHRENHEIT}
DEGREE = WORDS["degrees"]

#: Unit symbols, in their own case.
SYMBOLS = _units(_SYMBOLS)

_BUSINESS_DAY = Unit(name="business day", dimension="business_day")
_TRADING_DAY = Unit(name="trading day", dimension="trading_day")


def _square(unit: Unit) -> Unit:
    return Unit(name=f"square {unit.name}", dimension="area", factor=unit.factor**2)


def _cubic(unit: Unit) -> Unit:
    return Unit(name=f"cubic {unit.name}", dimension="volume", factor=unit.factor**3 * 1000)


_LENGTHS = {word: unit for word, unit in WORDS.items() if unit.dimension == "length"}
_FLUID_OUNCE = Unit(name="fluid ounce", dimension="volume", factor=WORDS["cup"].factor / 8)
# Each unit with its names of two words; a bar separates the choices for a word.
_PAIRS: list[tuple[Unit, str]] = [
    (PERCENT, "per cent"),
    (PERCENT, "percentage point|points"),
    (WORDS["bps"], "basis point|points"),
    (_BUSINESS_DAY, "business|working day|days"),
    (_TRADING_DAY, "trading day|days"),
    (CODES["GBP"], "pound|pounds sterling"),
    (CELSIUS, "degree|degrees celsius"),
    (CELSIUS, "degrees centigrade|c"),
    (FAHRENHEIT, "degree|degrees fahrenheit"),
    (FAHRENHEIT, "degrees f"),
    (WORDS["tonne"], "metric ton|tons|tonnes"),
    (_FLUID_OUNCE, "fluid ounces"),
    (_FLUID_OUNCE, "fl oz"),
    (CENT, "us cents"),
    (CODES["USD"], "us|american dollar|dollars"),
    (CODES["CAD"], "canadian dollar|dollars"),
    (CODES["AUD"], "australian dollar|dollars"),
    (CODES["SGD"], "singapore dollar|dollars"),
    (CODES["GBP"], "british pound|pounds"),
    (CODES["INR"], "indian rupee|rupees"),
    (CODES["CHF"], "swiss francs"),
    (CODES["JPY"], "japanese yen"),
    (CODES["CNY"], "chinese yuan"),
    *((_square(unit), f"square|sq {word}") for word, unit in _LENGTHS.items()),
    *((_cubic(unit), f"cubic {word}") for word, unit in _LENGTHS.items()),
]

#: Units of two words: first word, second word, unit.
PAIRS: dict[str, dict[str, Unit]] = {}
for _unit, _names in _PAIRS:
    for _first, _second in product(*(_choices.split("|") for _choices in _names.split())):
        PAIRS.setdefault(_first, {})[_second] = _unit

#: Words that may stand between a number and its unit and change nothing: "12 consecutive months".
FILLERS = frozenset(word_list("full whole consecutive calendar additional more further straight successive entire"))

#: Currency signs, and the letters before a dollar sign that tell whose dollar it is.
SIGNS = _by_code("$ ＄ USD € EUR £ ￡ GBP ₹ INR ₩ KRW ₽ RUB ₪ ILS ₦ NGN ₱ PHP ₫ VND ฿ THB ₿ BTC")
SIGNS |= {"¥": _YEN_SIGN, "￥": _YEN_SIGN}
DOLLARS = _by_code("US U.S. USD C CA CAN CAD A AU AUD NZ NZD HK HKD S SGD R BRL MX MXN NT TWD")
#: Codes that tell whose dollar a plain "$" was, when they follow the number: "$50 CAD".
DOLLAR_CODES = frozenset({"USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD"})
#: Currency abbreviations other than ISO codes that stand before a number.
BEFORE = CODES | _by_code("Rs INR RMB CNY Fr CHF")

#: Scale words in lower case.
SCALES = {"hundred": 100, "thousand": 10**3, "dozen": 12}
SCALES |= dict.fromkeys(["million", "millions", "mn", "mln", "mio"], 10**6)
SCALES |= dict.fromkeys(["billion", "billions", "bn"], 10**9)
SCALES |= dict.fromkeys(["trillion", "trillions", "tn"], 10**12)
SCALES |= dict.fromkeys(["lakh", "lakhs", "lac"], 10**5) | dict.fromkeys(["crore", "crores"], 10**7)
#: Scale letters, in their own case, that need no currency when they touch the number: "10k users".
SUFFIXES = {"k": 10**3, "K": 10**3, "M": 10**6, "MM": 10**6, "B": 10**9, "T": 10**12}
#: Scale letters that are read only beside a currency: "£5m" is money, "5m" is a length.
MONEY_SUFFIXES = SUFFIXES | {"m": 10**6, "mm": 10**6, "b": 10**9, "t": 10**12}

#: Words that are never the noun that a number counts.
FUNCTION_WORDS = frozenset(
    word_list(
        "a about above across after against all along also although always am among an and any are around "
        "as at be because been before being below between both but by can could did do does during each "
        "either else even ever every except for from had has have he her here him his how however i if in "
        "including into is it its just less like may me might must my near neither no nor not now of off "
        "often on once only onto or our out over per plus shall she should since so still such than that "
        "the their them then there these they this those though through thus times to together too toward "
        "towards under unless until up upon us via was we were what when where whereas which while who "
        "whom whose why will with within without would yet you your minus versus vs respectively"
    )
)
