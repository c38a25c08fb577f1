"""Words that the search for exact values knows: units, currencies, months, function words, and what keys say of a type."""

from __future__ import annotations

import re
from functools import lru_cache

CURRENCY_CODES = (
    "EUR|USD|GBP|CHF|JPY|CNY|RMB|INR|PLN|CZK|SEK|NOK|DKK|HUF|RON|BRL|MXN|CAD|AUD|NZD|KRW|TRY|RUB|UAH|ZAR|BTC|ETH"
)
CURRENCY_SIGNS = "$€£¥₹₽₺₩₴"
CURRENCY_WORDS = "Kč|kr|zł|Ft|lei|[Ee]uros?|dollars?|руб"

UNITS = (
    "%|‰|°[CFK]?|[µumn]?s|min|h|d|w|mo|y|[kMG]|[KMGTP]i?B|kB|B|[kMG]bit|[kMG]?Hz|[mk]?V|mA|A|[kM]?W|[kM]?Wh|[mµnk]?m|cm|"
    "km/h|ft|in|mi|[mk]?g|t|[mc]?l|L|px|pt|r?em|dpi|fps|rpm|[hk]?Pa|bar|dB|ppm|x|×"
)
"""Units that may stick to a number."""
SPACED_UNITS = (
    "%|‰|°[CFK]?|[µumn]?s|min|h|[KMGTP]i?B|kB|[kMG]bit|[kMG]?Hz|[mk]?V|mA|A|[kM]?W|[kM]?Wh|[mµnk]?m|cm|km/h|ft|[mk]?g|[mc]?l|L|"
    "px|dpi|fps|rpm|[hk]?Pa|bar|dB|ppm|×"
)
"""Units that may stand after a blank, where `in` and `x` are words."""
LONG_UNITS = (
    "secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?|months?|years?|bytes?|bits?|"
    "Sekunden?|Minuten?|Stunden?|Tagen?|Tage?|Wochen?|Monaten?|Monate?|Jahren?|Jahre?|"
    "secondes?|heures?|jours?|semaines?|mois|segundos?|minutos?|horas?|d[ií]as?|semanas?|meses|"
    "giorni|ore|minuti|settimane|mesi|dagen|uur|weken|dni|godzin|minut|дней|дня|часов|часа|минут|секунд"
)
COUNTERS = "[日月年時分秒円元天周个個件人枚本号號室页頁行]|小时|分钟|時間|週間|か月|시간|분|초|일|원|개|명"
"""What follows a number without a blank in scripts that are written without blanks."""

UNSEPARATED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uff0f\uff1a-\uff20"
"""Letters of scripts written without blanks, where a value stands directly between the letters of a sentence."""

MONTHS = (
    "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|January|February|March|April|June|July|August|September|October|"
    "November|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|janvier|février|mars|avril|juin|juillet|août|"
    "septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|"
    "gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|março|maio|junho|julho|"
    "setembro|outubro|dezembro|januari|februari|maart|augustus"
)

FILE_TYPES = (
    "py|pyi|ipynb|go|tsx?|jsx?|mjs|cjs|jsonl?|ndjson|ya?ml|toml|ini|cfg|conf|env|mdx?|rst|adoc|txt|log|rs|java|kt|scala|swift|"
    "c|h|cc|[ch]pp|cs|rb|php|pl|lua|sql|sh|bash|zsh|fish|ps1|bat|[ct]sv|parquet|xlsx?|docx?|pptx?|od[ts]|pdf|tex|bib|lock|"
    "html?|s?css|xml|svg|png|jpe?g|gif|webp|mp[34]|mov|wav|tiff?|zip|t?gz|tar|xz|zst|7z|whl|jar|db|sqlite3?|dump|bak|pem|crt|"
    "tf|tfvars|proto|patch|diff|vue|svelte|dart|exs?|erl|hs|ml|jl|nix|gradle|ics|eml|pkl|np[zy]|pt|ckpt|bin|so|exe|out|output"
)
HOST_ENDS = (
    "com|org|net|io|dev|app|ai|eu|de|fr|uk|ch|at|it|es|nl|pl|cz|se|jp|cn|in|br|ru|edu|gov|"
    "test|local|internal|example|invalid|lan|cloud"
)

FUNCTION_WORDS: frozenset[str] = frozenset(
    word
    for line in (
        "about above after all also am an and any are around as at be because been before below between both but by can could",
        "did do does every exactly for from get gets got had has have he her here his how if in into is it its just last least",
        "less like me more most my next no nor not now of off on only onto or other our out over per please than that the their",
        "them then there these they this those through to too under until up upon us use was we well were what when where which",
        "while who why will with within without would you your yes yet still roughly nearly almost maximum minimum let",
        "der die das den dem des ein eine einen einem einer und oder aber mit von vom zu zum zur bei bis auf aus für im ist sind",
        "war waren wird werden hat haben wir ich sie er es man nach vor über unter etwa rund circa ca alle alles auch nur noch",
        "nicht le la les un une du de et ou mais avec pour par sur dans en au aux est sont était nous vous il elle ils pas ne",
        "que qui plus moins environ el los las unos unas del pero con para por sobre al son era ha han más menos casi os um uma",
        "uns umas do da dos das mas com em na nos nas são foi não mais lo gli uno dei delle di ed ma per su tra fra sono non che",
        "più meno het een van voor met op uit zijn niet dat meer minder maar om te na od za jest nie że oraz lub ale dla przez",
        "przy ve ile bir için bu на по от до за из не что это как для или но же бы",
    )
    for word in line.split()
)
"""Words that name nothing: a number after one of them stays without a name."""

TYPE_OF_WORD = {
    word: kind
    for kind, words in (
        ("resource_id", "id ids uuid guid ref reference number nr"),
        ("hash", "sha sha1 sha256 digest checksum md5 etag commit hash"),
        ("version_pin", "version ver tag release"),
        ("amount", "amount total price fee cost balance"),
        ("timestamp", "at date time timestamp deadline due expires"),
        ("path", "path file dir directory folder cwd workdir filename"),
        ("url", "url uri href link endpoint"),
    )
    for word in words.split()
}
LAST_WORD = re.compile(r"(?:[A-Z]?[a-z0-9]+|[A-Z0-9]+)[_.\-\[\]]*\Z")


@lru_cache(maxsize=4_096)
def type_of_name(name: str) -> str:
    """The type of value that a key speaks of (`order_id`, `createdAt`, `Idempotency-Key`), "" where it says nothing."""
    lowered = name.lower()
    if "idempot" in lowered or "dedup" in lowered:
        return "idempotency_key"
    last = LAST_WORD.search(name)
    return TYPE_OF_WORD.get(last[0].strip("_.-[]").lower(), "") if last else ""
