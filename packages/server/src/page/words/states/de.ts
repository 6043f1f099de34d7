import { say } from '../../phrase.ts'
import { measuresOf } from '../measures.ts'
import type { Words } from '../words.ts'

const { day, inTime } = measuresOf('de')

/** German: what is so, and what it means. */
export const deStates: Words['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: 'Hier gibt es noch nichts zu verbinden',
    body: say`${workspace} hat diesem Link noch kein Tool hinzugefügt. Bitten Sie ${workspace} darum.`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'Hier gibt es nichts zu verbinden',
    body: say`${workspace} hat nach Tools gefragt, die dort nicht angeboten werden. Sagen Sie ${workspace} Bescheid.`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'Hier gibt es nichts zum Anmelden',
    body: say`Dieser Link nimmt nur Tools, bei denen man sich anmeldet, und ${workspace} hat keines eingerichtet. Sagen Sie ${workspace} Bescheid.`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: say`Die Anmeldung bei ${tool} ist noch nicht eingerichtet`,
    body: say`Das ist Sache von ${workspace}. Sagen Sie ${workspace} Bescheid.`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: say`${workspace} möchte sich mit Ihrem ${tool} verbinden`,
    body: say`Sie melden sich bei ${host} an und sehen dort, was Sie teilen. ${workspace} sieht Ihr Passwort nie.`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: say`${workspace} möchte sich erneut mit Ihrem ${tool} verbinden`,
    body: say`Sie melden sich bei ${host} an und sehen dort, was Sie teilen. ${workspace} sieht Ihr Passwort nie.`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: say`${workspace} hat ${tool} selbst hinzugefügt, und niemand sonst hat es geprüft. Fahren Sie nur fort, wenn Sie ${host} kennen.`,
    body: say`Sie können die Verbindung jederzeit trennen. Wenn Sie dies nicht wollten, schließen Sie die Seite: ${workspace} erhält dann nichts.`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: say`Melden Sie sich bei ${tool} fertig an`,
    body: say`${tool} ist in einem anderen Fenster geöffnet. Wenn Sie dort fertig sind, geht es hier von selbst weiter.`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'Ihr Browser hat das Fenster blockiert',
    body: say`Fahren Sie stattdessen auf dieser Seite mit ${tool} fort. Danach kommen Sie hierher zurück.`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'Ihr Browser hat das Fenster blockiert',
    body: say`Fahren Sie stattdessen in einem neuen Tab mit ${tool} fort. Danach geht diese Seite von selbst weiter.`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'Ist das Fenster noch offen?',
    body: say`Wenn ja, melden Sie sich dort bei ${tool} fertig an. Wenn nicht, öffnen Sie es noch einmal. Diese Seite geht von selbst weiter.`,
  }),
  checking: ({ tool }) => ({
    title: say`Wir prüfen mit ${tool}`,
    body: 'Das dauert einige Sekunden. Lassen Sie diese Seite geöffnet.',
  }),
  slow: ({ tool }) => ({
    title: say`${tool} braucht länger als sonst`,
    body: say`Sie können weiter warten oder es später versuchen. Nichts ist verbunden, bis ${tool} antwortet.`,
  }),
  offline: () => ({
    title: 'Sie sind offline',
    body: 'Ihre Eingaben sind noch da. Prüfen Sie Ihre Internetverbindung, und versuchen Sie es noch einmal.',
  }),
  connected: ({ tool, workspace }) => ({
    title: say`${tool} ist verbunden`,
    body: say`Sie können diese Seite schließen und zu ${workspace} zurückkehren.`,
  }),
  connectedAs: ({ tool, workspace, account }) => ({
    title: say`${tool} ist verbunden`,
    body: say`Verbunden als ${account}. Sie können diese Seite schließen und zu ${workspace} zurückkehren.`,
  }),
  failed: ({ tool }) => ({
    title: say`${tool} wurde nicht verbunden`,
    body: 'Es wird nichts geteilt.',
  }),
  expired: ({ workspace, at }) => ({
    title: say`Dieser Link ist am ${day(at)} abgelaufen`,
    body: say`Bitten Sie ${workspace} um einen neuen. Was Sie zuvor verbunden haben, bleibt verbunden.`,
  }),
  revoked: ({ workspace }) => ({
    title: say`${workspace} hat diesen Link geschlossen`,
    body: say`Bitten Sie ${workspace} um einen neuen. Was Sie zuvor verbunden haben, bleibt verbunden.`,
  }),
  unknownLink: () => ({
    title: 'Diesen Link kennen wir nicht',
    body: 'Vielleicht fehlt ein Teil. Öffnen Sie ihn noch einmal von dort, wo Sie ihn erhalten haben, oder bitten Sie um einen neuen.',
  }),
  full: ({ workspace }) => ({
    title: 'Dieser Link ist aufgebraucht',
    body: say`Alles, was er erlaubt, ist verbunden. Bitten Sie ${workspace} um einen neuen.`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'Sie haben alles verbunden, was dieser Link erlaubt',
    body: say`Um mehr zu verbinden, bitten Sie ${workspace} um einen neuen Link.`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'Das ist bereits erledigt',
    body: say`Ihre Angaben zu ${tool} waren schon da und wurden einmal verwendet. Nichts wurde doppelt getan.`,
  }),
  stillRunning: ({ tool }) => ({
    title: say`Wir prüfen noch mit ${tool}`,
    body: 'Sie haben dies schon einmal gesendet. Es läuft weiter, und nichts wird doppelt getan.',
  }),
  rateLimited: ({ seconds }) => ({
    title: 'Das ging etwas zu schnell',
    body: say`Versuchen Sie es ${inTime(seconds)} noch einmal. Was verbunden ist, bleibt verbunden.`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: 'Zu viele Versuche sind fehlgeschlagen',
    body: say`Von hier aus wurden zu viele Versuche abgelehnt. Versuchen Sie es ${inTime(seconds)} noch einmal. Was verbunden ist, bleibt verbunden.`,
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
    title: say`${tool} wird hier nicht mehr angeboten`,
    body: say`${workspace} hat diesen Link inzwischen geändert. Nichts ist verbunden, und nichts von Ihren Angaben wurde behalten.`,
  }),
  wayChanged: ({ tool, workspace }) => ({
    title: say`${tool} wird jetzt anders verbunden`,
    body: say`${workspace} hat dies inzwischen geändert. Nichts ist verbunden, und nichts von Ihren Angaben wurde behalten.`,
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
