import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('de')

/** German: one message per screen. */
export const deStates: Messages['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: 'Hier gibt es noch nichts zu verbinden',
    body: t`${workspace} hat diesem Link noch kein Tool hinzugefügt. Bitten Sie ${workspace} darum.`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'Hier gibt es nichts zu verbinden',
    body: t`Dieser Link verlangt Tools, die ${workspace} nicht anbietet. Wenden Sie sich an ${workspace}.`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'Hier gibt es nichts zum Anmelden',
    body: t`Dieser Link ist nur für Tools, bei denen man sich anmeldet, und ${workspace} hat noch keines eingerichtet. Wenden Sie sich an ${workspace}.`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: t`${tool} ist noch nicht eingerichtet`,
    body: t`Bevor Sie das Tool verbinden können, muss ${workspace} die Anmeldung bei ${tool} einrichten. Wenden Sie sich an ${workspace}.`,
  }),
  appRemoved: ({ workspace, tool }) => ({
    title: t`${tool} kann gerade nicht neu verbunden werden`,
    body: t`Zuerst muss ${workspace} die Anmeldung bei ${tool} wieder einrichten. Ihre Verbindung wurde nicht geändert. Wenden Sie sich an ${workspace}.`,
  }),
  toolGone: ({ workspace }) => ({
    title: 'Dieses Tool ist hier nicht mehr verfügbar',
    body: t`${workspace} bietet es nicht mehr an. Nichts wurde geändert. Wenden Sie sich an ${workspace}, wenn Sie es noch brauchen.`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: t`${tool} für ${workspace} verbinden`,
    body: t`Sie melden sich bei ${host} an und sehen dort, was Sie freigeben. ${workspace} sieht Ihr Passwort nie.`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: t`${tool} für ${workspace} erneut verbinden`,
    body: t`Sie melden sich bei ${host} an und sehen dort, was Sie freigeben. ${workspace} sieht Ihr Passwort nie.`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} hat diese Verbindung zu ${tool} selbst erstellt; sie wurde nicht geprüft. Fahren Sie nur fort, wenn Sie ${host} kennen.`,
    body: t`Sie können die Verbindung jederzeit trennen. Wenn Sie das nicht wollten, schließen Sie diese Seite: ${workspace} erhält dann nichts.`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: t`Schließen Sie die Anmeldung bei ${tool} ab`,
    body: t`${tool} ist in einem anderen Fenster geöffnet. Sobald Sie dort fertig sind, wird diese Seite automatisch aktualisiert.`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'Ihr Browser hat das Fenster blockiert',
    body: t`Fahren Sie stattdessen auf dieser Seite mit ${tool} fort. Danach kommen Sie hierher zurück.`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'Ihr Browser hat das Fenster blockiert',
    body: t`Fahren Sie stattdessen in einem neuen Tab mit ${tool} fort. Danach wird diese Seite automatisch aktualisiert.`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'Anmeldung nicht abgeschlossen',
    body: t`Das Fenster von ${tool} ist anscheinend geschlossen. Versuchen Sie es noch einmal. Ist es noch offen, melden Sie sich dort an: Diese Seite wird automatisch aktualisiert.`,
  }),
  checking: ({ tool }) => ({
    title: t`Wir prüfen Ihre Eingaben bei ${tool}`,
    body: 'Das dauert einige Sekunden. Lassen Sie diese Seite geöffnet.',
  }),
  slow: ({ tool }) => ({
    title: t`${tool} braucht länger als sonst`,
    body: t`Sie können weiter warten oder es später noch einmal versuchen. Nichts wird verbunden, bis ${tool} antwortet.`,
  }),
  offline: () => ({
    title: 'Sie sind offline',
    body: 'Ihre Eingaben sind noch da. Prüfen Sie Ihre Internetverbindung, und versuchen Sie es noch einmal.',
  }),
  connected: ({ workspace, tool }) => ({
    title: t`${tool} ist verbunden`,
    body: t`Sie können diese Seite schließen und ${workspace} weiter nutzen.`,
  }),
  connectedAs: ({ workspace, tool, account }) => ({
    title: t`${tool} ist verbunden`,
    body: t`Verbunden als ${account}. Sie können diese Seite schließen und ${workspace} weiter nutzen.`,
  }),
  failed: ({ tool }) => ({
    title: t`${tool} wurde nicht verbunden`,
    body: 'Es wird nichts geteilt.',
  }),
  alreadyConnected: ({ tool, account }) => ({
    title: t`${account} ist schon verbunden`,
    body: t`Aktualisieren Sie die bestehende Verbindung zu ${tool} mit Ihren neuen Angaben, oder fügen Sie eine weitere hinzu. Bis Sie sich entscheiden, ändert sich nichts.`,
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
    title: 'Wir finden diesen Link nicht',
    body: 'Vielleicht fehlt ein Teil. Öffnen Sie ihn noch einmal von dort, wo Sie ihn erhalten haben, oder bitten Sie um einen neuen.',
  }),
  full: ({ workspace }) => ({
    title: 'Dieser Link hat sein Limit erreicht',
    body: t`Alles, was er erlaubt, ist bereits verbunden. Bitten Sie ${workspace} um einen neuen.`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'Sie haben alles verbunden, was dieser Link erlaubt',
    body: t`Um mehr zu verbinden, bitten Sie ${workspace} um einen neuen Link.`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'Das ist bereits erledigt',
    body: t`Sie haben dieses Formular für ${tool} schon gesendet. Nichts wurde doppelt ausgeführt.`,
  }),
  stillRunning: ({ tool }) => ({
    title: t`Die Prüfung bei ${tool} läuft noch`,
    body: 'Sie haben dieses Formular schon gesendet. Die Prüfung läuft weiter, und nichts wird doppelt ausgeführt.',
  }),
  rateLimited: ({ seconds }) => ({
    title: 'Zu viele Anfragen',
    body: t`Versuchen Sie es ${relativeTime(seconds)} noch einmal. Was schon verbunden ist, bleibt verbunden.`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: 'Zu viele fehlgeschlagene Versuche',
    body: t`Zu viele Versuche aus Ihrem Browser oder Netzwerk wurden abgelehnt. Versuchen Sie es ${relativeTime(seconds)} noch einmal. Was schon verbunden ist, bleibt verbunden.`,
  }),
  notHere: () => ({
    title: 'Diese Seite kann hier nicht angezeigt werden',
    body: 'Diese Website steht nicht auf der Liste der zugelassenen Websites. Bitten Sie ihren Betreiber, sie hinzuzufügen.',
  }),
  notOurs: () => ({
    title: 'Dieses Formular konnte nicht gesendet werden',
    body: 'Zu Ihrer Sicherheit nehmen wir nur Formulare von dieser Seite selbst an; es ist nichts geschehen. Öffnen Sie Ihren Link erneut, und senden Sie das Formular dort.',
  }),
  sessionStart: ({ workspace }) => ({
    title: t`${workspace} bittet Sie, ein Tool zu verbinden`,
    body: t`Auf der nächsten Seite wählen Sie, was Sie verbinden. Fahren Sie nur fort, wenn Sie von ${workspace} kommen; die Seite funktioniert dann nur in diesem Browser.`,
  }),
  sessionStartOne: ({ workspace, tool }) => ({
    title: t`${tool} mit ${workspace} verbinden`,
    body: t`Fahren Sie nur fort, wenn Sie von ${workspace} kommen; die Seite funktioniert dann nur in diesem Browser.`,
  }),
  sessionRefused: () => ({
    title: 'Diese Seite kann nicht verwendet werden',
    body: 'Sie funktioniert einmal, in einem Browser und für begrenzte Zeit. Gehen Sie dorthin zurück, wo Sie herkamen, und beginnen Sie neu.',
  }),
  sessionUsed: ({ workspace }) => ({
    title: 'Dieser Link wurde bereits benutzt',
    body: t`Wofür er gedacht war, ist erledigt. Um etwas anderes zu verbinden, bitten Sie ${workspace} um einen neuen.`,
  }),
  sessionElsewhere: ({ workspace }) => ({
    title: 'Dieser Link wurde in einem anderen Browser geöffnet',
    body: t`Zu Ihrer Sicherheit funktioniert er nur in dem Browser, der ihn zuerst geöffnet hat. Fahren Sie dort fort, oder bitten Sie ${workspace} um einen neuen.`,
  }),
  sessionRequired: () => ({
    title: 'Für diese Seite brauchen Sie eine Einladung',
    body: 'Gehen Sie zurück zu der App, die Sie hierher geschickt hat, und beginnen Sie dort.',
  }),
  wrongAddress: () => ({
    title: 'Dieser Link ist ungültig',
    body: 'Er gibt nicht richtig an, für wen er ist; es ist nichts geschehen. Wenden Sie sich an das Unternehmen, das ihn gesendet hat.',
  }),
  notOffered: ({ workspace, tool }) => ({
    title: t`${tool} ist hier nicht mehr verfügbar`,
    body: t`${workspace} hat diesen Link geändert. Nichts ist verbunden, und wir haben Ihre Eingaben nicht gespeichert.`,
  }),
  wayChanged: ({ workspace, tool }) => ({
    title: t`${tool} wird jetzt anders verbunden`,
    body: t`${workspace} hat diese Verbindung geändert. Nichts ist verbunden, und wir haben Ihre Eingaben nicht gespeichert.`,
  }),
  redirectNotAllowed: () => ({
    title: 'Dieser Link führt zu einer nicht zugelassenen Adresse zurück',
    body: 'Das Unternehmen, das ihn gesendet hat, hat diese Adresse nicht zugelassen; es ist nichts geschehen. Wenden Sie sich an dieses Unternehmen.',
  }),
  busy: () => ({
    title: 'Wir können gerade nicht weitermachen',
    body: 'Das Problem liegt bei uns, und nichts wurde verbunden. Warten Sie eine Minute, und beginnen Sie dann neu.',
  }),
  closed: () => ({
    title: 'Sie können dieses Fenster schließen',
    body: 'Die Seite, von der Sie kommen, wird automatisch aktualisiert.',
  }),
  notKnown: () => ({
    title: 'Diese Seite ist abgelaufen',
    body: 'Sie wurde schon verwendet, oder es sind 10 Minuten vergangen. Gehen Sie zurück, und beginnen Sie neu.',
  }),
  finished: () => ({
    title: 'Das ist bereits erledigt',
    body: 'Sie können diese Seite schließen. Ob die Verbindung besteht, sehen Sie auf der Seite, von der Sie kommen.',
  }),
  adminConsent: () => ({
    title: 'Die Zustimmung der Administration wurde erteilt',
    body: 'Es ist noch nichts verbunden. Gehen Sie zurück zu der App, die Sie verbinden möchten, und beginnen Sie dort.',
  }),
  startedElsewhere: () => ({
    title: 'Diese Anmeldung muss anderswo beginnen',
    body: 'Die App, die Sie verbinden möchten, hat sie nicht gestartet, daher wurde nichts verbunden. Öffnen Sie diese App, und stellen Sie die Verbindung dort her.',
  }),
  otherBrowser: () => ({
    title: 'Das wurde in einem anderen Browser begonnen',
    body: 'Zu Ihrer Sicherheit haben wir abgebrochen; nichts wurde verbunden. Beginnen Sie neu, und bleiben Sie in einem Browser. Cookies müssen erlaubt sein.',
  }),
}
