"""Words by which a sentence claims something: that it is done or open, that a rule has ended, that somebody agreed, that something must be.

Lists of about a dozen languages, English, German and Spanish the longest; `docs/audit.md` says what they catch. They raise a claim
only: whether it holds is judged by what was said and done before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

ANY_CASE = re.IGNORECASE

CLAUSE_END = re.compile(
    r"[;；。]\s*|\s[–—]\s|(?<=[^\W\d]),\s+(?=(?:but|and|while|so|because|after|then|aber|und|weil|nachdem|während|pero|y|porque|mais|et|ma|e|mas|lo que|however)\b)"
    r"|\s(?=(?:but|while|because|after (?:the|a|an|he|she|it|they|(?-i:[A-Z])\w*)|nachdem|weil|pero|porque|although|obwohl|aunque)\b)",
    ANY_CASE,
)
"""Where one claim of a sentence may end and the next begin."""
DONE = re.compile(
    r"\b(?:was|were|has|have|had|is|are|is now|are now|got) (?:\w+ly |already |also |now |both |all |been )*(?:\w+ed|sent|done|made|paid|set|put|cut|built|bought"
    r"|sold|written|given|taken|told|run|shut|brought|held|kept|left|found|drawn|withdrawn|undone|redone|reset|rebuilt|live|through)\b|\breceived\b"
    r"|\b(?:went|gone) (?:out|through|live)\b|\b(?:is|are|was|were) (?:now )?(?:fully|completely|entirely)\b|\b(?:done|completed|finished|succeeded|successfully|ran to (?:its|the) end)\b|[✓✔☑✅]|\[x\]|^(?:(?-i:[A-Z]\w+ed)|sent|made|paid|built|bought|sold|wrote|took|ran|brought)\b"
    r"|\b(?:agent|assistant|we|i) (?:\w+ly |also |then |already )?(?:\w+ed|sent|made|paid|built|bought|sold|wrote|gave|took|ran|brought)\b"
    r"|\b(?:wurden?|worden|ist|sind|hat|haben|habe)\b.*\b(?:\w*ge\w+(?:t|en)|(?:ver|be|er|ent|zer|über|unter)\w+(?:t|en)|\w+iert)\b|\b(?:erledigt|fertig|abgeschlossen)\b"
    r"|\b(?:a|ont|est|sont) (?:été )?(?:bien )?\w+(?:é|i|u)e?s?\b|\bfaite?s?\b|\b(?:ha|han|fue|fueron|está|están) (?:sido )?(?:\w+[ai]d[oa]s?|hech[oa]s?)\b|\bse \w+(?:ó|aron|ieron)\b"
    r"|\b(?:è|sono|ha|hanno) (?:stat[oaie] )?\w+(?:t|s)[oaie]\b|\b(?:foi|foram|está|estão) \w+(?:[ai]d[oa]s?|feit[oa]s?)\b|\b(?:is|zijn|werd|werden|heeft) .*\bge\w+(?:d|t|en)\b"
    r"|\b(?:został[aoy]?|zostały) \w+|\b(?:был[аио]?) \w+|\b(?:готово|сделано|отправлен\w*|выполнен\w*|завершен\w*)\b|已|完成|了。?$|ました|済み|완료|했습니다",
    ANY_CASE,
)
"""Something is told as done."""
ENDED_WELL = re.compile(
    r"\b(?:done|completed?|finished|succeeded|successful|ended|(?:ran|run|running) (?:through|to (?:its|the|an) end)|(?:went|is|are) through|(?:is|are|was|were) (?:now )?(?:fully|completely|entirely)|erledigt|fertig|abgeschlossen|beendet|completad[oa]s?|terminad[oa]s?|finalizad[oa]s?|terminó|terminée?s?|achevée?s?|completat[oaie]|finit[oaie]"
    r"|concluíd[oa]s?|voltooid|afgerond|zakończon\w*|завершен\w*|готово)\b|完成|完了|완료",
    ANY_CASE,
)
"""Something is told as ended as a whole."""
ALL_DONE = re.compile(
    r"\b(?:all|every|each|alle|jede[rs]?|todas|todos|toutes|tous|tutt[ei])\b(?:(?! but\b) [\w'’-]+){0,4} (?:to-?dos?|tasks?|steps?|entries|items?|points?|plan|aufgaben?|schritte?|punkte?|einträge|tareas|pasos|puntos|tâches|étapes)"
    r" (?:are|is|were|was|have|has|sind|ist|wurden?|están|fueron|sont|ont) (?:\w+ ){0,2}?(?:done|completed?|finished|erledigt|fertig|abgeschlossen|hech[oa]s?|completad[oa]s|terminad[oa]s|terminée?s|achevée?s|faite?s)\b",
    ANY_CASE,
)
"""A whole plan is told as done."""
DUE = re.compile(
    r"\b(?:(?:is|are|has|have|remains?) (?:still |yet )?to be|must (?:still |yet |again )?be|(?:needs?|ought) to be|should (?:still |now )?be|muss (?=.*\bwerden\b)|hay que|debe ser|doit être|deve essere|deve ser|moet)\b",
    ANY_CASE,
)
"""Something is told as still to be done."""
OPEN = re.compile(
    r"\b(?:(?<!was )(?<!were )(?<!been )asked|asks|wants?|wanted|(?<!was )(?<!were )(?<!been )requested|told (?:me|us|the agent)|should|must|needs?|will|would|to be|to do|todo|still|not|never|nobody|none|nothing|pending|(?:is|are|still|remains|:) open|queued|running|in progress|next"
    r"|later|remaining|remains|outstanding|(?:is|are|still) missing|unless|once|until|if|before|tried|trying|attempt\w*|error|fatal|issue|timed out|fail\w*|unknown|waits?|waiting|tomorrow|promised|plans?|jammed|cannot|can['’]t|could|partly|partial\w*|half|only|part|alone|refused|rejected|denied|declined|lacks?|blocked|aborted"
    r"|soll\w*|muss|müssen|wird|werde|noch|nicht|nie|kein\w*|niemand|offen|läuft|fehlt|ausstehend|steht aus|gebeten|bat|möchte|wollte|will|erst|bis|wenn|solange|morgen|später|gleich|unbekannt|angefragt|erwartet|(?-i:[Oo]b)|wartet|nur|versucht\w*"
    r"|(?<!été )demandé|doit|rest(?:e|ent)|pas|encore|seul\w*|essayé|tenté|en attente|aucun\w*|pidió|pide|quiere|debe|falta|queda|todavía|aún|no|nadie|ningun\w*|reste(?:nt)? à|reste en|pendiente|sigue|next steps?|to[- ]?dos?|nächste schritte|hasta|salvo|luego|tarde|sólo|solo|mañana|intentó|por comprobar|por escribir"
    r"|chiesto|deve|ancora|non|pediu|ainda|não|moet|nog|niet|nie|jeszcze|нужно|ещё|еще|не|просил\w*)\b|n['’]t\b|[?？]|还|未|没|まだ|아직|ません|않",
    ANY_CASE,
)
"""Something is told as asked for, open, conditional or not done."""
BEGUN = re.compile(
    r"\b(?:started|begun|began|initiated|launched|triggered|kicked off|submitted|requested|queued|handed|issued|attempted|enqueued|scheduled|decided|planned|intended|agreed|proposed|suggested|discussed|considered|offered|promised|beschlossen|entschieden|geplant|vorgeschlagen|besprochen|decidid[oa]|decidió|decidieron|planead[oa]|acordad[oa]|acordó|propuest[oa]|propuso|décidée?s?|prévue?s?|proposée?s?|deciso|decisa|previst[oa]|propost[oa]|decidiu|besloten|gepland|(?<!neu )gestartet|begonnen|angefordert|angefragt|beantragt|beauftragt|eingereiht"
    r"|angestoßen|iniciad[oa]|empezad[oa]|pedid[oa]s?|pidió|solicitad[oa]|lanzad[oa]|encolad[oa]|demandée?s?|lancée?s?|commencée?s?|avviat[oa]|richiest[oa]|iniciou|pedida|gestart|начат\w*|запрошен\w*)\b|开始|開始|시작",
    ANY_CASE,
)
"""Something is told as begun or meant, which says nothing of its end."""
HANGING = re.compile(
    r"\b(?:(?<!had )still|waits?|waiting|awaits?|awaiting|being \w+ed|processing|in bearbeitung|en curso|en proceso|en cours|pending|(?<!had )not yet|yet to be|to do|on (?:its|the|their) way|queued|in progress|running|outstanding|(?:is|are|still|remains|:) open|unconfirmed|not confirmed|(?:has|have) (?:yet )?to be|unknown|unclear|expected|failed|unbekannt|unklar|erwartet|noch nicht|noch offen|ausstehend|läuft noch|unterwegs|en camino|en route|steht noch aus|fehlgeschlagen|wartet"
    r"|reste(?:nt)? à|reste en|pendiente|sigue|next steps?|to[- ]?dos?|nächste schritte|falta|queda por|se desconoce|no se sabe|se espera|todavía no|aún no|sigue sin|en attente|pas encore|in sospeso|non ancora|pendente|ainda não|nog niet|в ожидании|ещё не|еще не)\b|未完成|待处理|まだ|保留中|아직",
    ANY_CASE,
)
"""Something is told as unfinished or failed."""
CONDITION = re.compile(
    r"\b(?:unless|until|till|before|once|if|only|except|waits?|waiting|needs?|requires?|must|shall|not|n['’]t|never|nobody|no one|cannot|asked|wants?|wanted|whether|erst|bevor|bis|wenn|sofern|falls|solange|nur|außer|muss(?! nicht mehr)"
    r"|braucht|brauchen|wartet|nicht(?! mehr)|nie|niemand|kein\w*|ob|hasta|salvo|antes|si|sólo|solo|cuando|hay que|debe|no(?! longer| es)|nadie|nunca|ningun\w*|avant|jusqu|sauf|ne|pas|seulement|doit|finché|prima|solo se|até|antes)\b"
    r"|n['’]t\b",
    ANY_CASE,
)
"""A consent or a permission with this in its clause is one on a condition, or none."""
IF = re.compile(
    r"\W*(?:\w+ ){0,2}(?:if|once|when|until|unless|wenn|sobald|falls|bis|si|cuando|hasta|quand|dès|se|quando|als|zodra)\b",
    ANY_CASE,
)
"""What a condition begins with, right behind a claim."""
ENDED = re.compile(
    r"\b(?:lifted|revoked|withdrawn|withdrew|waived|rescinded|repealed|released (?:the|this|that|from)|(?:no longer|not|n['’]t) (?:\w+ )?(?:any ?more )?(?:appl(?:y|ies)|in force|valid|required|necessary|needed|forbidden|prohibited|binding|bound|hold)"
    r"|need(?:s)? no(?:t| longer)\b|no longer (?:has|have|needs?)\b|does(?: not|n['’]t) have to|ne (?:doit|doivent|faut) plus|n['’]a plus (?:besoin|à)|ya no (?:tiene|debe|necesita)|no need to|free to|dropped (?:the|this|that) (?:rule|limit|ban|requirement)"
    r"|aufgehoben|hinfällig|entfällt|(?:nicht mehr|nicht länger) (?:nötig|notwendig|erforderlich|verboten|gültig|gefragt|gilt)|muss nicht mehr|müssen nicht mehr|gilt nicht mehr|gelten nicht mehr|braucht (?:man )?(?:nicht|keine?n?) \w* ?mehr"
    r"|ya no (?:hace|se necesita\w*|es neces|vale\w*|se aplica|aplica|rige|está prohibid|hay que)\w*|levantó|levantad[oa]|derogad[oa]|anulad[oa]"
    r"|n['’]est plus (?:nécessaire|requis|valable|interdit|obligatoire)\w*|ne s['’]applique plus|a levé|levée?|non (?:vale|serve|è) più|revocat[oa]|não (?:vale|é) mais|já não|niet meer (?:nodig|geldig|verboten)|vervallen"
    r"|już nie|uchylon\w*|больше не|отмен[её]н\w*|artık)\b|不再|取消了|解除|もう.*(?:ない|不要)|더 이상",
    ANY_CASE,
)
"""A rule is told as ended."""
ALLOWED = re.compile(
    r"\b(?:is|are|was|were) (?:now |again |also |always )?(?:allowed|permitted|fine|okay|ok|optional|unrestricted)\b|\b(?-i:may) (?:now |again |also |freely )?(?!not\b|have\b|be(?:en)? (?:wrong|due|caused))\w+|\bcan (?:now|again|freely)\b|\bcan \w+ .*\bwithout\b"
    r"|\b(?:darf|dürfen|darfst)\b|\b(?:kann|können|kannst) (?:jetzt|wieder|ab sofort)\b|\b(?:erlaubt|gestattet|zulässig)\b"
    r"|\b(?:ya )?se pueden?\b|\bpueden? (?:ya|ahora)\b|\b(?:permitid|autorizad)[oa]s?\b|\bpeu(?:t|vent) (?:désormais|maintenant)\b|\b(?:autorisé|permis)e?s?\b|\bpuò ora\b|\bconsentit[oa]\b|\bpode(?:m)? agora\b|\bpermitid[oa]\b"
    r"|\bmag (?:nu|weer)\b|\btoegestaan\b|\bdozwolon\w*|\bможно\b|\bразрешен\w*|可以|允许|してもよい|해도 된다|허용",
    ANY_CASE,
)
"""Something is told as allowed."""
AGREED = re.compile(
    r"\b(?:approve[ds]|okayed|ok['’]d|agreed to|consented|authori[sz]ed|green-?lit|signed(?: off)?|sanctioned|granted|gave (?:\w+ ){0,2}(?:consent|approval|permission|ok|okay|go-?ahead|green light|blessing)"
    r"|(?-i:[A-Z]\w+) (?:has |had )?(?:confirmed|accepted|cleared|released)|(?:was|were|is|are|been) (?:approved|authori[sz]ed)"
    r"|freigegeben|genehmigt|zugestimmt|bewilligt|unterschrieben|abgesegnet|(?-i:[A-Z]\w+) hat .*\bbestätigt|stimmte .*\bzu|erlaubte|gab .*(?:Freigabe|Zustimmung|Okay)"
    r"|aprobó|aprobad[oa]s?|autorizó|autorizad[oa]s?|firmó|firmad[oa]s?|consintió|aceptó|ha (?:aprobado|autorizado|firmado)|dio (?:el visto bueno|su visto bueno|permiso|su aprobación)"
    r"|a (?:approuvé|autorisé|signé|validé|accepté)|a donné son (?:accord|feu vert)|ha (?:approvato|autorizzato|firmato)|aprovou|autorizou|assinou|heeft .*(?:goedgekeurd|toegestemd|getekend)"
    r"|zatwierdził\w*|zgodził\w*|одобрил\w*|разрешил\w*|согласил\w*|onayladı)\b|批准了|同意了|已批准|承認し|許可し|승인했|허락했",
    ANY_CASE,
)
"""Somebody is told to have agreed."""
DEMANDS = re.compile(
    r"\b(?:must|never|always|shall|do not|don['’]t|may not|is forbidden|are forbidden|muss|müssen|niemals|nie|immer|darf nicht|dürfen nicht|keinesfalls|debe[ns]?|hay que|nunca|siempre|jamás"
    r"|doit|doivent|jamais|toujours|il faut|deve|devono|mai|sempre|devem|moet|nooit|altijd|musi|nigdy|zawsze|должен|никогда|всегда|нельзя)\b|必须|不得|禁止|べき|してはいけ|반드시|금지",
    ANY_CASE,
)
"""Something is told as a duty."""
ORDER = re.compile(
    r"(?:never|always|do not|don['’]t|you (?:must|may not|shall|should)|make sure|be sure|remember to|niemals|nie|immer|stets|du (?:musst|sollst|darfst)|sie müssen|nunca|siempre|jamás|debes|hay que|asegúrate"
    r"|jamais|toujours|n['’]oubliez|il faut|mai|sempre|nooit|altijd|nigdy|zawsze|никогда|всегда|必须|不要|请|必ず|반드시)\b",
    ANY_CASE,
)
"""What begins so demands something."""
RENEWS = re.compile(
    r"\b(?:new|another|different|fresh|again|anew|instead|retry|repeat|re-?run|re-?issue|re-?send|without|skip|ignore|neu\w*|ander\w*|erneut|noch ?mal|nochmals|wieder|ohne|nuev[oa]|otr[oa]|otra vez|de nuevo|sin|nouve\w*|autre|encore|sans|nuov[oa]|novo|nova|opnieuw|nowy|новый|снова)\b|新|再|もう一度|다시",
    ANY_CASE,
)
"""Something is to be done anew or otherwise."""
REPORTED = re.compile(
    r"\b(?:asked|asks|told|wants?|wanted|requested|said|says|instructed|bat|gebeten|möchte|wollte|sagte|wünscht\w*|pidió|pide|quiere|dijo|demandé|veut|voulait|chiesto|vuole|pediu|quer|vroeg|wil|просил\w*|хочет)\b|要求|希望|依頼|요청",
    ANY_CASE,
)
"""What somebody wanted is told, and nothing demanded."""
SOFTENED = re.compile(
    r"\b(?:try(?:ing)? (?:not )?to|tries (?:not )?to|prefer\w*|preferabl[ey]|ideally|if possible|where possible|when convenient|usually|generally|normally|rather|better not|should (?:probably|ideally|preferably)|might want|consider"
    r"|möglichst|nach möglichkeit|lieber|am besten|eigentlich|bevorzugt|normalerweise|wenn möglich|idealerweise|a ser posible|si es posible|preferiblemente|mejor|normalmente|intenta\w*|procura\w*"
    r"|de préférence|si possible|plutôt|évitez|éviter|preferibilmente|se possibile|meglio|de preferência|se possível|liefst|bij voorkeur|zo mogelijk|najlepiej|желательно|по возможности)\b|尽量|最好|できれば|なるべく|가능하면",
    ANY_CASE,
)
"""A demand is told as a wish."""
UNDONE = re.compile(
    r"\b(?:not|never|cannot|nicht|kein\w*|nie|no|pas|aucun\w*|non|não|niet|nie|не)\b|n['’]t\b|未|没|ません|않", ANY_CASE
)
"""Something is told as not done."""
WAITS = re.compile(
    r"\b(?:before|until|waits?|waiting|needs?|requires?|only|unless|erst|bevor|bis|solange|wartet|braucht|brauchen|nur|hasta|antes|hay que|espera|avant|jusqu['’]\w*|seulement|attend|finché|prima|até|antes|voordat|pas als)\b",
    ANY_CASE,
)
"""Something is told to wait for something else, or to need it."""
WITHOUT = re.compile(r"\b(?:without|ohne|sin|sans|senza|sem|zonder)\b", ANY_CASE)
NARRATIVE = re.compile(
    r"(?:the (?:user|agent|assistant|conversation|session|team)|(?:he|she|it|they|we|there|this|that|these|those|both|messages?|earlier|further|previous\w*|an earlier)\b"
    r"|(?:der|die) (?:nutzer\w*|agent\w*|assistent\w*|benutzer\w*)|(?:es|sie|er|dies\w*|beide|dabei|danach|zuvor)\b|(?:el|la) (?:usuari[oa]|agente|asistente)|(?:esto|ambos|después|antes)\b"
    r"|l['’](?:utilisateur|agent|assistant)|l['’](?:utente|agente)|o usuário|o agente|de gebruiker|użytkownik|пользователь|агент)|用户|代理|ユーザー|사용자"
    r"|(?:(?:some|an?|the|short|brief|general|casual|routine|small|friendly|various|further|longer) ){1,4}"
    r"(?:talk|chat|chatter|conversation|discussion|exchange|work|questions?|look-?ups?|greetings|pleasantries|remarks|debugging|steps|turns|messages)\b"
    r"|(?:small ?talk|chit-?chat|discussion|conversation|pleasantries|greetings|geplauder|unterhaltung|bavardage|charla|chiacchiere|conversa)\b",
    ANY_CASE,
)
"""What begins so tells what was."""
PLACE_WORDS = frozenset(
    {
        "production",
        "prod",
        "staging",
        "test",
        "testing",
        "dev",
        "development",
        "live",
        "qa",
        "sandbox",
        "produktion",
        "producción",
        "pruebas",
    }
)
"""Where something is done: the same deed in another place is another deed."""
ONLY = re.compile(
    r"\b(?:only|solely|exclusively|nur|ausschließlich|ausschliesslich|sólo|solo|solamente|únicamente|seulement|uniquement|soltanto|solamente|apenas|somente|alleen|uitsluitend|tylko|wyłącznie|только|лишь|исключительно)\b|只|仅|だけ|のみ|만",
    ANY_CASE,
)
"""One thing is allowed and all others are not."""
EMPHATIC = re.compile(
    r"\b(?:(?:[Dd]o|DO|must|MUST|shall|SHALL|should|SHOULD|may|MAY|can|CAN) NOT|NEVER|DON['’]T|MUSTN['’]T|CANNOT|NICHT|NIE|NIEMALS|KEIN(?:E[NMRS]?)?|NO(?= [a-záéíóúñ])|NUNCA|JAMÁS|PAS|JAMAIS|NON|MAI(?= [a-z])|NÃO|NIET|NOOIT|NIGDY|НЕ|НЕЛЬЗЯ|НИКОГДА)\b"
)
"""Who writes a ban so wants it kept."""
HEAD = re.compile(r"^(?:[-*•]\s+|\d+[.)]\s+)+")


SPOKEN_TO = re.compile(
    r"\b(?:you|your|du|dir|ihr|vous|tu|usted(?:es)?|lei|voi|você|vocês|jij|jullie|ты|вы|siz|sen)\b|您|你|あなた|당신",
    ANY_CASE,
)
"""Words by which a sentence speaks to its reader."""
PARTIES = re.compile(
    r"\b(?:users?|nutzer\w*|benutzer\w*|usuari[oa]|utilisateur|rules?|bans?|freeze|restriction|regel|verbot|regla|prohibición|règle|interdiction)\b|用户|规则|ユーザー|ルール",
    ANY_CASE,
)
"""Who releases, and what is released."""
LATER = re.compile(
    r"\W*(?:after|once|when(?:ever)?|as soon as|until|before|nachdem|sobald|wenn|bis|bevor|después|una vez|cuando|hasta|antes|après|dès|quand|avant|dopo|quando|prima|depois|nadat|zodra)\b",
    ANY_CASE,
)
"""What begins so says when something is, and not that it is."""


def clauses(sentence: str) -> Iterator[str]:
    """The claims of a sentence, one by one."""
    for piece in CLAUSE_END.split(HEAD.sub("", sentence)):
        if piece and piece.strip():
            yield piece.strip()
