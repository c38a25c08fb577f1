"""Sentences that surely end a rule: stated forms, whatever a model makes of them (design sections 2 and 5, release by the creditor).

A release is a whole sentence that says, now and without a condition, one of two things:

1. of a rule, ban, freeze, limit or the like, or of what the speaker had said, that it is over: it is lifted, it no longer applies, forget it;
2. that something may be done again or from now on. Such a permission ends a prohibition and no gate: consent that is given once
   does not end the need to ask (design section 5, constraint).

A question, a condition, a doubt, a denial, somebody else's word, the past and the future release nothing.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from barrier_policy.facts.words import AnyCase

MAX_SENTENCE: Final = 400


class Release(StrEnum):
    """How a sentence ends a rule."""

    NONE = "none"
    ENDS = "ends"
    PERMITS = "permits"


_RULE: Final = (
    r"(?:rules?|bans?|freezes?|restrictions?|limits?|limitations?|caps?|prohibitions?|embargo(?:es)?|moratoriums?|lockdowns?|constraints?|requirements?|instructions?"
    r"|regeln?|sperren?|verbote?s?|einschränkung(?:en)?|beschränkung(?:en)?|vorgaben?|anweisung(?:en)?|obergrenzen?"
    r"|règles?|interdictions?|gel|consignes?|limites?|reglas?|prohibici(?:ón|ones)|restricci(?:ón|ones)|límites?|bloqueos?|instrucci(?:ón|ones)"
    r"|regol[ae]|diviet[oi]|restrizion[ei]|blocc[oh]i?|limit[ei]|regras?|proibiç(?:ão|ões)|restriç(?:ão|ões)|bloqueios?|regels?|verbod(?:en)?|beperking(?:en)?)"
)
_NOW: Final = r"(?:now |hereby |already |as of (?:now|today) |jetzt |hiermit |damit |ab sofort |maintenant |désormais |ahora |ora |adesso |agora |nu )?"
_LEAD: Final = r"^(?:(?:ok(?:ay)?|good|fine|great|thanks?|right|alright|news|update|gut|alles klar|bon|bien|vale|bene|goed|please|bitte)\b[,.:;! –—-]*)*"
_ENDED: Final = AnyCase(
    rf"\b{_RULE}\b[^?;]{{0,100}}?\b(?:(?:is|are|has been|have been) {_NOW}(?:lifted|revoked|withdrawn|rescinded|waived|cancell?ed|over(?! ?\d)|void|off(?! limits| in\b)|gone|dropped|repealed|obsolete)"
    r"|no longer (?:appl(?:y|ies)|holds?|counts?|stands?)|(?:does|do)(?: not|n't) (?:apply|hold|count) (?:any ?more|any longer)"
    rf"|(?:ist|sind|wurden?) {_NOW}(?:wieder )?(?:aufgehoben|hinfällig|vorbei|zurückgezogen|gestrichen)|(?:gilt|gelten) {_NOW}nicht (?:mehr|länger)|entfällt|entfallen"
    rf"|(?:est|sont|a été|ont été) {_NOW}(?:levée?s?|annulée?s?|abrogée?s?)|ne s'applique(?:nt)? plus|n'est plus (?:en vigueur|valable)"
    rf"|(?:queda|quedan|está|están|ha sido|han sido) {_NOW}(?:levantad|anulad|revocad|suspendid)[oa]s?|ya no (?:se )?(?:aplican?|rigen?|valen?)"
    rf"|(?:è|sono|è stat[oa]) {_NOW}(?:revocat|annullat|tolt|sospes)[oaie]|non (?:vale|valgono|si applicano?) più"
    rf"|(?:está|estão|foi|foram) {_NOW}(?:levantad|revogad|anulad|suspens)[oa]s?|já não (?:se aplicam?|valem?)"
    rf"|(?:is|zijn) {_NOW}(?:opgeheven|ingetrokken|vervallen)|(?:geldt|gelden) {_NOW}niet (?:meer|langer))\b"
)
_TAKEN_BACK: Final = AnyCase(
    rf"{_LEAD}(?:(?:ignore|forget|disregard|scrap|drop|lift) (?:about )?(?:the|that|my|this|our|all)(?: [\w-]+){{0,3}} {_RULE}\b|(?:forget|ignore|disregard|scrap) what i (?:said|told you)\b"
    rf"|i(?:'m)? {_NOW}(?:take back|taking back|withdraw|withdrawing|revoke|revoking|lift|lifting|rescind|rescinding) (?:(?:the|that|my|this|our|all)(?: [\w-]+){{0,3}} {_RULE}|what i)\b"
    rf"|vergiss (?:die|das|meine|was ich)\b|ich (?:hebe|nehme|ziehe) (?:die|das|meine)\b[^?;]*\b{_RULE}\b[^?;]*\b(?:auf|zurück)\b|oubliez? (?:la|cette|ce que j'ai dit)|olvida (?:la|esa|lo que dije)"
    r"|dimentica (?:la|quella|quello che ho detto)|esquece (?:a|essa|o que eu disse)|vergeet (?:de|die|wat ik zei))"
)
_PERMITTED: Final = AnyCase(
    rf"{_LEAD}(?:(?:from now on|as of (?:now|today)|starting (?:now|today)),? (?:you|we) (?:may|can|are (?:free|allowed) to)\b"
    r"|(?:you|we) (?:may|can|are (?:free|allowed) to) [^?;]*\b(?:again|once more|from now on|after all)\b|you no longer (?:have|need) to (?:stay|keep|avoid|refrain|hold|steer)\b"
    r"|(?:[^?;,]{3,120}\b(?:is|are)|it's|it is) (?:now )?(?:ok(?:ay)?|fine|allowed|permitted|open|free)\b[^?;]*\b(?:again|once more|from now on)\b"
    r"|(?:du|ihr|sie|wir) (?:darfst|dürft|dürfen|kannst|könnt|können) (?:ab (?:sofort|jetzt) |jetzt )?wieder\b|ab (?:sofort|jetzt) (?:darfst|dürft|dürfen|kannst|könnt) (?:du|ihr|sie|wir)\b"
    r"|(?:tu peux|vous pouvez|on peut) (?:maintenant )?(?:de nouveau|à nouveau)\b|(?:ya )?(?:puedes|pueden|podemos) (?:ya )?volver a\b"
    r"|(?:ora |adesso )?(?:puoi|potete|possiamo) (?:di nuovo|tornare a)\b|(?:já )?(?:podes|podem|você pode) voltar a\b|(?:je mag|jullie mogen|u mag) (?:nu )?weer\b)"
)
_UNSURE: Final = re.compile(
    r"[?？]|\b(?:if|once|when|whenever|until|till|unless|as soon as|after|provided|assuming|whether|in case|maybe|perhaps|probably|possibly|might|could|would|should|will|shall"
    r"|not (?:yet |quite )?(?:lifted|revoked|withdrawn|over|gone|off|void)|isn't|aren't|never|nobody|only|except|but|tomorrow|yesterday|later|soon"
    r"|(?!i )\w+ (?:says?|said|claims?|claimed|thinks?|thought|believes?|told|asked|heard|wrote|writes|suggests?|suggested)"
    r"|wenn|falls|sobald|bis|bevor|nachdem|sofern|ob|vielleicht|wohl|würde|könnte|sollte|wird|werden|noch nicht|nur|außer|aber|morgen|sagt|sagte|meint|behauptet"
    r"|si|dès que|quand|jusqu|peut-être|pourrait|devrait|sera|pas encore|seulement|sauf|mais|demain|dit|cuando|hasta|en cuanto|quizás?|tal vez|podría|será|todavía|aún|solo|sólo|salvo|pero|mañana|dice|dijo"
    r"|se|appena|finché|forse|potrebbe|sarà|non ancora|solo|tranne|però|ma|domani|dice|quando|até|talvez|poderia|será|ainda não|só|exceto|mas|amanhã|disse|als|zodra|tot|misschien|zou|nog niet|alleen|behalve|maar|morgen|zegt)\b"
    r"|n't\b(?! (?:apply|hold|count))",
    re.IGNORECASE,
)
"""Words of a question, condition, doubt, exception, time or other speaker. In doubt the rule stays."""
_SCOPED: Final = re.compile(
    r"\b(?:for (?!good\b|all\b|everyone\b|ever\b)|during|just|today|this|für (?!immer\b|alle\b)|heute|pour|aujourd|para|hoy|per|oggi|hoje|voor|vandaag)",
    re.IGNORECASE,
)
"""What stands behind the words of a release and narrows it: then the rule still holds elsewhere."""
_QUOTED: Final = re.compile(r"^\W*[\"“„«'`>]")


def find_release(sentence: str) -> Release:
    """Whether a sentence surely ends a rule, and how. Who says it, and which rule it speaks of, is for others to judge."""
    text = sentence.replace("’", "'").strip()
    if len(text) > MAX_SENTENCE or _QUOTED.match(text):
        return Release.NONE
    for pattern, release in ((_ENDED, Release.ENDS), (_TAKEN_BACK, Release.ENDS), (_PERMITTED, Release.PERMITS)):
        if found := pattern.search(text):
            return Release.NONE if _UNSURE.search(text) or _SCOPED.search(text, found.end()) else release
    return Release.NONE
