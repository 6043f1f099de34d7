import { getFormatters } from '../formatters.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('de')

/** German: what is so, and what it means. */
export const deStates: Messages['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: 'Hier gibt es noch nichts zu verbinden',
    body: t`${workspace} hat diesem Link noch kein Tool hinzugefügt. Bitten Sie ${workspace} darum.`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'Hier gibt es nichts zu verbinden',
    body: t`${workspace} hat nach Tools gefragt, die dort nicht angeboten werden. Sagen Sie ${workspace} Bescheid.`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'Hier gibt es nichts zum Anmelden',
    body: t`Dieser Link nimmt nur Tools, bei denen man sich anmeldet, und ${workspace} hat keines eingerichtet. Sagen Sie ${workspace} Bescheid.`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: t`Die Anmeldung bei ${tool} ist noch nicht eingerichtet`,
    body: t`Das ist Sache von ${workspace}. Sagen Sie ${workspace} Bescheid.`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} möchte sich mit Ihrem ${tool} verbinden`,
    body: t`Sie melden sich bei ${host} an und sehen dort, was Sie teilen. ${workspace} sieht Ihr Passwort nie.`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: t`${workspace} möchte sich erneut mit Ihrem ${tool} verbinden`,
    body: t`Sie melden sich bei ${host} an und sehen dort, was Sie teilen. ${workspace} sieht Ihr Passwort nie.`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} hat ${tool} selbst hinzugefügt, und niemand sonst hat es geprüft. Fahren Sie nur fort, wenn Sie ${host} kennen.`,
    body: t`Sie können die Verbindung jederzeit trennen. Wenn Sie dies nicht wollten, schließen Sie die Seite: ${workspace} erhält dann nichts.`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: t`Melden Sie sich bei ${tool} fertig an`,
    body: t`${tool} ist in einem anderen Fenster geöffnet. Wenn Sie dort fertig sind, geht es hier von selbst weiter.`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'Ihr Browser hat das Fenster blockiert',
    body: t`Fahren Sie stattdessen auf dieser Seite mit ${tool} fort. Danach kommen Sie hierher zurück.`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'Ihr Browser hat das Fenster blockiert',
    body: t`Fahren Sie stattdessen in einem neuen Tab mit ${tool} fort. Danach geht diese Seite von selbst weiter.`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'Ist das Fenster noch offen?',
    body: t`Wenn ja, melden Sie sich dort bei ${tool} fertig an. Wenn nicht, öffnen Sie es noch einmal. Diese Seite geht von selbst weiter.`,
  }),
  checking: ({ tool }) => ({
    title: t`Wir prüfen mit ${tool}`,
    body: 'Das dauert einige Sekunden. Lassen Sie diese Seite geöffnet.',
  }),
  slow: ({ tool }) => ({
    title: t`${tool} braucht länger als sonst`,
    body: t`Sie können weiter warten oder es später versuchen. Nichts ist verbunden, bis ${tool} antwortet.`,
  }),
  offline: () => ({
    title: 'Sie sind offline',
    body: 'Ihre Eingaben sind noch da. Prüfen Sie Ihre Internetverbindung, und versuchen Sie es noch einmal.',
  }),
  connected: ({ tool, workspace }) => ({
    title: t`${tool} ist verbunden`,
    body: t`Sie können diese Seite schließen und zu ${workspace} zurückkehren.`,
  }),
  connectedAs: ({ tool, workspace, account }) => ({
    title: t`${tool} ist verbunden`,
    body: t`Verbunden als ${account}. Sie können diese Seite schließen und zu ${workspace} zurückkehren.`,
  }),
  failed: ({ tool }) => ({
    title: t`${tool} wurde nicht verbunden`,
    body: 'Es wird nichts geteilt.',
  }),
  expired: ({ workspace, at }) => ({
    title: t`Dieser Link ist am ${day(at)} abgelaufen`,
    body: t`Bitten Sie ${workspace} um einen neuen. Was Sie zuvor verbunden haben, bleibt verbunden.`,
  }),
  revoked: ({ workspace }) => ({
    title: t`${workspace} hat diesen Link geschlossen`,
    body: t`Bitten Sie ${workspace} um einen neuen. Was Sie zuvor verbunden haben, bleibt verbunden.`,
  }),
  unknownLink: () => ({
    title: 'Diesen Link kennen wir nicht',
    body: 'Vielleicht fehlt ein Teil. Öffnen Sie ihn noch einmal von dort, wo Sie ihn erhalten haben, oder bitten Sie um einen neuen.',
  }),
  full: ({ workspace }) => ({
    title: 'Dieser Link ist aufgebraucht',
    body: t`Alles, was er erlaubt, ist verbunden. Bitten Sie ${workspace} um einen neuen.`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'Sie haben alles verbunden, was dieser Link erlaubt',
    body: t`Um mehr zu verbinden, bitten Sie ${workspace} um einen neuen Link.`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'Das ist bereits erledigt',
    body: t`Ihre Angaben zu ${tool} waren schon da und wurden einmal verwendet. Nichts wurde doppelt getan.`,
  }),
  stillRunning: ({ tool }) => ({
    title: t`Wir prüfen noch mit ${tool}`,
    body: 'Sie haben dies schon einmal gesendet. Es läuft weiter, und nichts wird doppelt getan.',
  }),
  rateLimited: ({ seconds }) => ({
    title: 'Das ging etwas zu schnell',
    body: t`Versuchen Sie es ${relativeTime(seconds)} noch einmal. Was verbunden ist, bleibt verbunden.`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: 'Zu viele Versuche sind fehlgeschlagen',
    body: t`Von hier aus wurden zu viele Versuche abgelehnt. Versuchen Sie es ${relativeTime(seconds)} noch einmal. Was verbunden ist, bleibt verbunden.`,
  }),
  notHere: () => ({
    title: 'Diese Seite kann hier nicht gezeigt werden',
    body: 'Die Website um sie herum ist nicht dafür zugelassen. Bitten Sie ihre Betreiber, sie hinzuzufügen.',
  }),
  notOurs: () => ({
    title: 'Das kam von einer anderen Seite',
    body: 'Zu Ihrer Sicherheit ist nichts geschehen. Öffnen Sie den Link, den Sie erhalten haben, und verwenden Sie die Schaltfläche dort.',
  }),
  wrongAddress: () => ({
    title: 'Dieser Link ist falsch zusammengesetzt',
    body: 'Er sagt nicht richtig, für wen dies ist; darum ist nichts geschehen. Sagen Sie es der Stelle, von der Sie ihn haben.',
  }),
  notOffered: ({ tool, workspace }) => ({
    title: t`${tool} wird hier nicht mehr angeboten`,
    body: t`${workspace} hat diesen Link inzwischen geändert. Nichts ist verbunden, und nichts von Ihren Angaben wurde behalten.`,
  }),
  wayChanged: ({ tool, workspace }) => ({
    title: t`${tool} wird jetzt anders verbunden`,
    body: t`${workspace} hat dies inzwischen geändert. Nichts ist verbunden, und nichts von Ihren Angaben wurde behalten.`,
  }),
  redirectNotAllowed: () => ({
    title: 'Dieser Link führt zu einer nicht zugelassenen Adresse zurück',
    body: 'Diese Adresse ist nicht eingetragen, deshalb ist nichts geschehen. Sagen Sie Bescheid, wo Sie den Link erhalten haben.',
  }),
  busy: () => ({
    title: 'Wir können gerade nicht weitermachen',
    body: 'Das liegt an uns, und nichts wurde verbunden. Warten Sie eine Minute, und beginnen Sie dann neu.',
  }),
  closed: () => ({
    title: 'Sie können dieses Fenster schließen',
    body: 'Die Seite, von der Sie kamen, macht von selbst weiter.',
  }),
  notKnown: () => ({
    title: 'Diese Seite gilt nicht mehr',
    body: 'Sie wurde schon verwendet, oder 10 Minuten sind vergangen. Gehen Sie dorthin zurück, woher Sie kamen, und beginnen Sie neu.',
  }),
  finished: () => ({
    title: 'Das ist bereits erledigt',
    body: 'Sie können diese Seite schließen. Dort, woher Sie kamen, sehen Sie, ob die Verbindung besteht.',
  }),
  otherBrowser: () => ({
    title: 'Das wurde in einem anderen Browser begonnen',
    body: 'Zu Ihrer Sicherheit wurde es angehalten, und nichts wurde verbunden. Beginnen Sie neu, und bleiben Sie in einem Browser. Cookies müssen erlaubt sein.',
  }),
}
