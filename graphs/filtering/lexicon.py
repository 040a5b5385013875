"""What English words have in common: `born` and `birth`, `wrote` and `author`, `who` and a person.

Each line is one concept of general English, as attributes and relations of things are named and asked for.
No name of a particular graph stands here. A word may belong to several concepts.
"""

from __future__ import annotations

from functools import cache

from graphground.graphs.filtering.words import lemma, root

CONCEPTS = """
birth: birth born bear birthplace birthday birthdate native age aged old older oldest young younger youngest
death: death die died dead decease deceased demise late kill killed fatality fatal deadly casualty toll perish mortality lethal pass-away passed-away lose-life lost-life
kill: kill killer murder murderer slay assassinate execute shoot death homicide victim
place: birthplace place where location located locate site venue situated position area spot locale somewhere take-place took-place
place: city town country region state province village continent hometown
home: home house residence reside resident live dwell inhabit habitat occupy habitation biome environment ecosystem find native
country: country nation state homeland nationality national citizenship citizen foreign nationwide
citizenship: citizenship citizen nationality national nation passport country from
time: birthdate birthday when date day year month time period era century decade moment
gender: gender sex male female man woman boy girl
person: person people individual human who whom whose someone anybody anyone everyone man woman somebody character figure member
make: create creator creation make maker made produce producer production manufacture manufacturer build builder built craft design designer paint painter sculpt sculptor author artist develop developer compose composer work invent inventor
write: write writer written author wrote pen screenwriter script screenplay novelist book publish
direct: direct director filmmaker helm
act: act actor actress star starring cast play appear appearance feature performer perform role portray
found: found founder founding establish establishment launch inception start begin start form formation create creation incorporate incorporation set-up co-found cofounder origin old oldest young youngest new newest age set-up
start: start begin commence onset launch inception join since from initial opening first became become assume took-office
end: end finish conclude cease leave until stop expire retire last former previously resign depart dissolve
current: current currently present presently now still today incumbent sitting active
own: own owner ownership proprietor possess possession belong hold holder
lead: lead leader head chief chair chairman chairperson president boss run captain preside command ceo minister govern direct manage manager helm
manage: manage manager coach trainer train head management
employ: employ employee employer work worker staff job hire
use: use employ utilize utilise weapon means tool instrument involve with
occupation: occupation job profession career work vocation trade living
attack: attack target aim hit strike victim against direct assault bomb
perpetrate: perpetrate perpetrator commit carry-out carried-out responsible conduct execute culprit author attacker do behind orchestrate stage
injure: injure injury injured wound wounded hurt casualty
survive: survive survivor survival alive
happen: happen occur take-place took-place place held hold event
exhibit: exhibit exhibition display show house hang view gallery museum hold collection keep see
style: style movement school genre type kind category form tradition
genre: genre type kind style category classify belong form
kind: kind type category class classify classification sort group rank
associate: associate association link connect relate belong affiliate tie part-of part influence under movement represent
part: part member belong component include contain within comprise consist made-up join compete division section of in
member: member belong join affiliate affiliation membership part sit serve represent
rank: rank level grade tier order category classify
parent: parent child offspring descend descendant ancestor subclass taxonomy under belong family direct higher broader include
mother: mother mom mum maternal parent child son daughter kid offspring
father: father dad paternal parent child son daughter kid offspring sire
child: child son daughter kid offspring parent mother father
spouse: spouse wife husband marry marriage wed partner
sibling: sibling brother sister
student: student pupil teacher teach mentor apprentice disciple train tutor study learn protege
school: school university college educate education study alma-mater graduate attend academy academic learn institution
feed: feed eat prey predator diet consume food hunt nutrition forage predation
life: life lifespan live longevity lifetime longest age
pregnancy: gestation pregnancy pregnant
activity: activity active diel nocturnal diurnal cycle crepuscular day night behaviour behavior pattern
conservation: conservation threat threaten endanger endangered vulnerable extinct extinction protect protection risk status
status: status state condition standing
size: size big large small area huge vast tiny extent cover surface square
length: length long short distance
height: height tall high short elevation altitude
depth: depth deep shallow
width: width wide broad narrow span wingspan
weight: weight weigh mass heavy light
speed: speed fast slow quick velocity
distance: range distance far reach travel fly
number: number many count total amount how-many quantity
number: jersey shirt squad
money: money cost price budget revenue earn gross income profit box-office sale value worth salary expensive cheap wealth financial
duration: duration runtime length long short last minute hour time run
language: language speak spoken speak tongue linguistic
award: award prize win winner receive honor honour medal receive trophy recipient accolade laureate recognize grant nominate
play: play player playing team join represent appear sign career
hand: hand handed handedness left-handed right-handed
foot: foot footed footedness
nickname: nickname alias call known moniker
name: name call title know entitle
title: title name call
alias: alias alternative also-known other-name nickname
sport: sport game match
team: team club squad side franchise
venue: venue stadium arena ground home field pitch
league: league division championship competition tournament conference
draft: draft pick select choose
coach: coach manager trainer
company: company firm business corporation enterprise organization organisation
subsidiary: subsidiary parent own owner daughter subsidiary acquire belong
industry: industry sector field operate business
operate: operate operator run operation airline carrier active activity serve
base: base headquarter headquarters seat locate location headquartered home
board: board director member
ceo: ceo chief-executive executive chief head lead leader
film: film movie picture cinema
series: series franchise saga part
release: release premiere publish out air
origin: origin originate come from source country
flow: flow drain empty run tributary mouth pass through
source: source spring begin
water: water river lake sea ocean
mountain: mountain peak mount summit
basin: basin watershed drain drainage catchment
capital: capital city seat
population: population inhabitant people populous populate
party: party political
politics: politician political politics office
office: office position post hold minister role title serve
position: position role post play office job
diplomacy: diplomatic diplomacy relation embassy ally
organization: organization organisation group institution body agency association
depart: depart departure leave take-off took-off fly origin from originate start
arrive: arrive arrival destination destine land bound head to
crash: crash accident disaster incident
involve: involve involvement feature use concern
aircraft: aircraft airplane plane jet airliner
manufacturer: manufacturer maker manufacture make build produce builder
enter: enter entry introduce introduction service
universe: universe world setting franchise fictional verse
character: character figure protagonist
copyright: copyright right license own owner
cause: cause reason due why lead
buy: buy purchase order customer client acquire
sell: sell sale vendor seller supplier supply
contain: contain include consist hold comprise
rate: rate rating score star review grade
text: text content body message
friend: friend know acquaintance befriend
like: like love favorite favourite prefer enjoy
follow: follow follower subscribe
send: send sender mail message
visit: visit visitor travel trip tour
disease: disease illness disorder condition diagnose diagnosis symptom
treat: treat treatment cure therapy drug medicine
flag: flag
religion: religion faith church worship religious
war: war battle conflict fight combat military
"""

TIME_CUES = frozenset("""when date day year month time period era century decade before after since until till during between
earliest early latest late oldest old newest new youngest young recent recently first last ago current currently
previously former formerly now still present long ever age aged born die died""".split())
"""Words that ask for a point or span of time, even where no property's name is said."""

ORDER_CUES = frozenset("""earliest latest oldest newest youngest recent recently first last ago older younger newer
earlier later before after since until till between during chronological chronologically""".split())
"""Words that compare or sort by time."""

WHEN_CUES = frozenset("when before after since until till during between in".split())

NOW_CUES = frozenset("current currently present now still former formerly previously since until".split())

STOP_WORDS = frozenset("""a an the and or not of in on at by to for from with as is be are was were do did does have has had
it its their them they there that this these those which what who whom whose how many much any all each every
both either neither one ones other others can could would will you provide list give show find tell me i we
us than then so such also only just if into through some same different unique distinct along""".split())
"""Words that carry structure rather than content."""

TALK_WORDS = frozenset("""name call title sort order list rank descend ascend alphabetical number count total average mean
sum maximum minimum most least more less few high low large small great top bottom difference compare comparison
share together between point time ever currently past present include among across per least exactly accord
respective respectively along well instance case example question answer please specific certain particular
detail information data record value entry result individual piece item thing kind type category fall under
associate link connect relate relation involve various other another separate apart additionally moreover further""".split())
"""Words that most questions have: nothing is missing when the schema knows none of them."""

NAME_STOP_WORDS = frozenset("a an the and or of in on at by to for from with as is are has have was into through".split())
"""Words of a label, type or property that tell little: `hasGenre` is about genre."""

GENERIC_NAME_WORDS = frozenset("""name id number count total type avg average mean min max sum date year month day time
value code is part member""".split())
"""Words of a property's name that need company: `number` alone does not ask for `number_of_deaths`."""

AGENTS = frozenset("""artist actor actress author writer director painter sculptor player politician terrorist founder
owner producer composer singer musician scientist king queen president minister leader employee customer user student
teacher doctor patient member athlete footballer coach manager character designer architect poet perpetrator attacker
creator executive ceo chairman""".split())
"""Nouns for someone who does something: a label named so answers `who`."""

COUNTRY_WORDS = frozenset("""french dutch greek swiss czech thai welsh scottish irish spanish english british danish swedish
finnish polish turkish german american italian""".split())
_DEMONYM_ENDINGS = ("ese", "ian", "ean", "ish")


@cache
def concepts_by_root() -> dict[str, frozenset[str]]:
    """Each root, or two roots joined by a blank, with its concepts."""
    found: dict[str, set[str]] = {}
    for line in CONCEPTS.strip().splitlines():
        concept, words = line.split(":")
        for word in words.split():
            key = " ".join(root(part) for part in word.split("-"))
            found.setdefault(key, set()).add(concept)
    for agent in AGENTS:
        found.setdefault(root(agent), set()).add("agent")
    return {key: frozenset(concepts) for key, concepts in found.items()}


@cache
def concepts_of(word: str) -> frozenset[str]:
    """The concepts of one folded word: `{"birth"}` for `born`."""
    table = concepts_by_root()
    return table.get(root(word), frozenset()) | table.get(lemma(word), frozenset())


def is_demonym(word: str) -> bool:
    """Whether a capitalised word may say where someone is from: `Croatian`, `Dutch`."""
    folded = word.lower()
    return word[:1].isupper() and (folded in COUNTRY_WORDS or (len(word) > 5 and folded.endswith(_DEMONYM_ENDINGS)))
