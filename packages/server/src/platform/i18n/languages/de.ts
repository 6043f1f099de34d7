import { createTextTag, getFormatters } from '../localized-text.ts'
import type { Translation } from '../messages.ts'

const LOCALE = 'de'
const THIS_APP = 'diese App'
const { day, daysAgo, minute, number, plural, relativeTime } = getFormatters(LOCALE)
const t = createTextTag(THIS_APP)

/** German, formal. */
export const de = {
  locale: LOCALE,
  direction: 'ltr',
  technicalTerms: /oauth|bundle|credential|zugangsdaten|authentifizier|autorisier|anbieter|!/i,
  secured: 'Gesichert durch Linchpin',
  privacy: 'Datenschutz',
  terms: 'Nutzungsbedingungen',
  thisApp: THIS_APP,
  action: {
    back: 'Zurück',
    close: 'Schließen',
    cancel: 'Abbrechen',
    done: 'Fertig',
    tryAgain: 'Noch einmal versuchen',
    continue: 'Weiter',
    startAgain: 'Neu beginnen',
    checkAgain: 'Noch einmal prüfen',
    chooseAnother: 'Anderes Tool wählen',
    connectAnother: 'Weiteres Tool verbinden',
    updateConnection: 'Verbindung aktualisieren',
    addConnection: 'Als weitere hinzufügen',
    openAgain: 'Fenster noch einmal öffnen',
    connect: ({ tool }) => t`${tool} verbinden`,
    continueTo: ({ tool }) => t`Weiter zu ${tool}`,
    returnTo: ({ workspace }) => t`${workspace} öffnen`,
    returning: ({ workspace }) => t`Sie kehren gleich zu ${workspace} zurück…`,
    stay: 'Auf dieser Seite bleiben',
  },
  picker: {
    title: ({ workspace }) => t`Ihre Tools für ${workspace} verbinden`,
    body: 'Wählen Sie ein Tool. Erst wenn Sie es verbinden, wird etwas geteilt.',
    search: 'Tools suchen',
    searchButton: 'Suchen',
    skip: 'Zu den Tools springen',
    clear: 'Alle Tools zeigen',
    categories: 'Kategorien',
    all: 'Alle',
    resultCount: ({ count }) =>
      plural(count, { one: `${number(count)} Tool`, other: `${number(count)} Tools` }),
    noMatch: ({ query }) => ({
      title: t`Kein Tool passt zu „${query}“`,
      body: 'Prüfen Sie die Schreibweise, oder versuchen Sie ein kürzeres Wort.',
    }),
    connectedHere: 'Gerade verbunden',
    connected: 'Verbunden',
    custom: 'Eigenes',
    test: 'Test',
    category: {
      accounting: 'Buchhaltung',
      ai: 'KI',
      analytics: 'Analyse',
      ats: 'Recruiting',
      calendar: 'Kalender',
      crm: 'CRM',
      developer_tools: 'Entwicklung',
      documentation: 'Dokumentation',
      hris: 'Personal',
      identity: 'Identität',
      mail: 'E-Mail',
      marketing: 'Marketing',
      messaging: 'Kommunikation',
      other: 'Sonstiges',
      payments: 'Zahlungen',
      project_management: 'Projekte',
      social: 'Soziale Medien',
      storage: 'Dateien',
      support: 'Kundenservice',
      ticketing: 'Tickets',
    },
  },
  auth: {
    title: ({ tool }) => t`Wie möchten Sie ${tool} verbinden?`,
    body: 'Wählen Sie, was für Sie am einfachsten ist. Sie können die Verbindung jederzeit trennen.',
    signIn: ({ tool }) => t`Bei ${tool} anmelden`,
    signInLine: ({ host }) => t`Melden Sie sich bei ${host} an. Sie müssen nichts kopieren.`,
    recommended: 'Empfohlen',
    apiKey: 'API-Schlüssel verwenden',
    apiKeyLine: ({ tool }) => t`Kopieren Sie einen Schlüssel aus Ihren Einstellungen in ${tool}.`,
    tokenLine: ({ tool }) => t`Kopieren Sie ein Token aus Ihren Einstellungen in ${tool}.`,
    token: 'Zugriffstoken verwenden',
    password: 'Benutzernamen und Passwort verwenden',
    passwordLine: 'Wir speichern Ihr Passwort verschlüsselt.',
    fieldsLine: ({ label }) => t`Sie brauchen: ${label}.`,
    scopes: ({ workspace }) => t`${workspace} darf danach:`,
    newScopes: ({ workspace }) => t`Neu: ${workspace} darf danach außerdem:`,
    moreScopes: ({ count }) => `${number(count)} weitere`,
    other: ({ label }) => t`${label} verwenden`,
  },
  form: {
    title: ({ tool, workspace }) => t`${tool} für ${workspace} verbinden`,
    reconnectTitle: ({ tool, workspace }) => t`${tool} neu mit ${workspace} verbinden`,
    change: 'Ändern',
    body: ({ workspace, tool }) =>
      t`${workspace} kann dann in ${tool} alles tun, was diese Angaben erlauben. Wir prüfen sie bei ${tool} und speichern sie verschlüsselt. Sie können die Verbindung jederzeit trennen.`,
    bodyForKey: ({ workspace, tool }) =>
      t`${workspace} kann dann in ${tool} alles tun, was dieser Schlüssel erlaubt. Wir prüfen ihn bei ${tool} und speichern ihn verschlüsselt. Sie können die Verbindung jederzeit trennen.`,
    custom: ({ workspace, tool }) =>
      t`${workspace} hat diese Verbindung zu ${tool} selbst erstellt; sie wurde nicht geprüft. Fahren Sie nur fort, wenn Sie ihr vertrauen.`,
    optional: 'optional',
    choose: 'Bitte wählen',
    show: 'Zeigen',
    hide: 'Verbergen',
    showField: ({ label }) => t`${label} zeigen`,
    hideField: ({ label }) => t`${label} verbergen`,
    whereToFind: 'Wo finde ich das?',
    newWindow: 'öffnet ein neues Fenster',
    fieldErrors: ({ count }) =>
      plural(count, { one: 'Prüfen Sie ein Feld', other: `Prüfen Sie ${number(count)} Felder` }),
    reenterSecrets:
      'Zu Ihrer Sicherheit speichert diese Seite keine Schlüssel oder Passwörter. Geben Sie sie noch einmal ein.',
    sessionLost:
      'Diese Seite war zu lange offen, oder Cookies sind blockiert. Es wurde nichts gesendet. Prüfen Sie das Formular, und senden Sie es noch einmal.',
    missing: ({ label }) => t`Bitte ausfüllen: ${label}`,
    notChosen: ({ label }) => t`Bitte wählen: ${label}`,
    notEmail: 'Geben Sie eine E-Mail-Adresse ein, etwa name@example.com',
    notUrl: 'Geben Sie eine vollständige Adresse ein, etwa https://example.com',
    notNumber: 'Geben Sie eine Zahl ein',
    notDate: 'Geben Sie ein Datum ein',
    tooShort: ({ count }) => `Geben Sie mindestens ${number(count)} Zeichen ein`,
    tooLong: ({ count }) => `Geben Sie höchstens ${number(count)} Zeichen ein`,
    tooSmall: ({ count }) => `Geben Sie ${number(count)} oder mehr ein`,
    tooLarge: ({ count }) => `Geben Sie ${number(count)} oder weniger ein`,
    patternMismatch: ({ label }) => t`Prüfen Sie ${label}: Das Format stimmt nicht`,
    example: ({ label }) => t`Zum Beispiel ${label}`,
    linesHelp: 'Geben Sie einen Wert pro Zeile ein.',
    jsonHelp: 'Geben Sie es als JSON ein.',
  },
  states: {
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
    chooseFacts: ({ tool }) => ({
      title: t`Was möchten Sie in ${tool} verbinden?`,
      body: t`Ihr Zugang zu ${tool} umfasst mehr als eine Möglichkeit.`,
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
  },
  portal: {
    start: ({ workspace }) => ({
      title: t`Ihre Verbindungen zu ${workspace}`,
      body: t`Auf der nächsten Seite sehen Sie, was Sie mit ${workspace} verbunden haben. Fahren Sie nur fort, wenn Sie von ${workspace} hierhergekommen sind; die Seite funktioniert dann nur in diesem Browser.`,
    }),
    title: ({ workspace }) => t`Ihre Verbindungen zu ${workspace}`,
    body: 'Trennen Sie, was Sie nicht mehr brauchen.',
    attention: ({ count, total }) =>
      plural(count, {
        one: `${number(count)} von ${number(total)} Verbindungen braucht Ihre Aufmerksamkeit`,
        other: `${number(count)} von ${number(total)} Verbindungen brauchen Ihre Aufmerksamkeit`,
      }),
    none: ({ workspace }) => ({
      title: 'Nichts ist verbunden',
      body: t`Tools, die Sie mit ${workspace} verbinden, stehen dann hier.`,
    }),
    signedInAs: ({ account }) => t`Angemeldet als ${account}`,
    connectedOn: ({ at }) => `Verbunden am ${day(at)}`,
    lastUsedOn: ({ at }) => `Zuletzt benutzt am ${day(at)}`,
    lastUsedAgo: ({ count }) => `Zuletzt benutzt: ${daysAgo(count)}`,
    neverUsed: 'Noch nicht benutzt',
    active: 'Funktioniert',
    unchecked: 'Noch nicht geprüft',
    needsReauth: 'Funktioniert nicht mehr. Verbinden Sie das Tool erneut.',
    error: ({ workspace }) => t`Funktioniert gerade nicht. ${workspace} muss es beheben.`,
    pending: ({ workspace }) => t`Wartet auf die Bestätigung durch ${workspace}`,
    more: ({ tool, account }) => t`Mehr zu ${tool}: ${account}`,
    disconnect: 'Trennen',
    disconnectAccount: ({ tool, account }) => t`${tool} trennen: ${account}`,
    reconnect: 'Erneut verbinden',
    reconnectAccount: ({ tool, account }) => t`${tool} erneut verbinden: ${account}`,
    connectFirst: 'Tool verbinden',
    showMore: 'Mehr anzeigen',
    yourConnections: 'Ihre Verbindungen',
    ask: ({ tool, workspace }) => ({
      title: t`${tool} trennen?`,
      body: t`${workspace} kann diese Verbindung dann nicht mehr benutzen, und was wir dafür gespeichert haben, wird gelöscht. Sie können ${tool} jederzeit wieder verbinden.`,
    }),
    confirm: ({ tool }) => t`${tool} trennen`,
    keep: 'Verbunden lassen',
    disconnected: ({ tool }) => t`${tool} ist getrennt`,
    revoked: ({ tool }) =>
      t`${tool} hat bestätigt, dass der Zugriff widerrufen ist, und wir haben alles Gespeicherte gelöscht.`,
    revocationUnsupported: ({ tool }) =>
      t`Wir haben alles Gespeicherte gelöscht. Bei ${tool} können wir den Zugriff nicht widerrufen; das können Sie in Ihren Einstellungen von ${tool} tun.`,
    revocationFailed: ({ tool }) =>
      t`Wir haben alles Gespeicherte gelöscht, aber ${tool} hat den Widerruf nicht bestätigt. Entfernen Sie den Zugriff sicherheitshalber in Ihren Einstellungen von ${tool}.`,
    grantShared: ({ tool }) =>
      t`Wir haben alles Gespeicherte gelöscht. Eine weitere Verbindung benutzt dieselbe Anmeldung bei ${tool}; der Zugriff wird widerrufen, sobald Sie auch diese trennen.`,
    nothingToRevoke: ({ tool }) =>
      t`Wir haben alles Gespeicherte gelöscht. Wenn Sie dafür einen Schlüssel erstellt haben, löschen Sie ihn in Ihren Einstellungen von ${tool}.`,
    gone: () => ({
      title: 'Diese Verbindung gibt es hier nicht mehr',
      body: 'Vielleicht ist sie schon getrennt. Nichts wurde geändert.',
    }),
    agents: {
      link: 'KI-Assistenten',
      ofAccount: ({ tool, account }) => t`KI-Assistenten und ${tool}: ${account}`,
      ask: ({ tool, workspace }) => ({
        title: t`Was dürfen KI-Assistenten in ${tool}?`,
        body: t`KI-Assistenten von ${workspace} können diese Verbindung nutzen, in den Grenzen, die ${workspace} setzt. Sie können sie weiter einschränken.`,
      }),
      label: 'KI-Assistenten dürfen',
      access: {
        full: 'lesen und ändern',
        read_only: 'nur lesen',
        paused: 'nichts tun',
      },
      save: 'Speichern',
      saved: 'Gespeichert. Das gilt ab sofort.',
      restricted: {
        read_only: 'KI-Assistenten dürfen nur lesen',
        paused: 'Für KI-Assistenten pausiert',
      },
      recent: 'Letzte Anfragen',
      none: 'Noch keine.',
      read: 'Gelesen',
      changed: 'Gesendet',
      refused: 'Nicht gesendet',
      at: ({ at }) => minute(at),
      clients: 'Apps mit Zugriff auf Ihre Verbindungen',
      endAccess: 'Zugriff beenden',
      endAccessOf: ({ client }) => t`Zugriff beenden: ${client}`,
    },
  },
  failures: {
    access_denied: () =>
      'Der Zugriff wurde abgelehnt. Es wird nichts geteilt. Wenn das ein Versehen war, beginnen Sie neu.',
    admin_consent_granted: ({ tool }) =>
      t`Die Administration von ${tool} hat zugestimmt, aber es hat sich noch niemand angemeldet. Beginnen Sie neu, um Ihr Konto zu verbinden.`,
    already_connected: ({ tool }) =>
      t`Sie haben ${tool} mit diesem Konto schon verbunden. Beginnen Sie neu, um diese Verbindung zu aktualisieren oder eine weitere hinzuzufügen.`,
    authorization_request_failed: ({ workspace, tool }) =>
      t`${tool} hat die Anfrage zur Anmeldung nicht angenommen. Es wird nichts geteilt. Wenden Sie sich an ${workspace}: Nur dort lässt sich das beheben.`,
    cancelled: ({ tool }) =>
      t`Sie haben abgebrochen, bevor ${tool} geantwortet hat. Nichts ist verbunden. Sie können jederzeit neu beginnen.`,
    credentials_rejected: ({ workspace, tool }) =>
      t`${tool} hat Ihre Eingaben nicht angenommen. Prüfen Sie sie, und versuchen Sie es noch einmal. Klappt es weiterhin nicht? Wenden Sie sich an ${workspace}.`,
    egress_unavailable: ({ workspace, tool }) =>
      t`Wir konnten ${tool} wegen eines Netzwerkproblems bei uns nicht erreichen. Versuchen Sie es in einigen Minuten noch einmal. Klappt es weiterhin nicht? Wenden Sie sich an ${workspace}.`,
    identity_mismatch: ({ tool }) =>
      t`Sie haben sich bei ${tool} mit einem anderen Konto angemeldet als zuvor. Melden Sie sich dort ab, und beginnen Sie mit demselben Konto neu.`,
    insufficient_scope: ({ tool }) =>
      t`${tool} hat diesen Schlüssel angenommen, aber er hat nicht genügend Rechte. Ergänzen Sie sie in ${tool}, oder verwenden Sie einen anderen.`,
    integration_failed: ({ workspace, tool }) =>
      t`${tool} konnte wegen eines Fehlers bei uns nicht verbunden werden. Versuchen Sie es noch einmal. Wenn es wieder passiert, wenden Sie sich an ${workspace}.`,
    integration_timeout: ({ workspace, tool }) =>
      t`Das Verbinden von ${tool} hat zu lange gedauert. Versuchen Sie es noch einmal. Wenn es wieder passiert, wenden Sie sich an ${workspace}.`,
    key_rejected: ({ workspace, tool }) =>
      t`${tool} hat diesen Schlüssel nicht angenommen. Prüfen Sie, ob Sie ihn vollständig kopiert haben, oder erstellen Sie einen neuen. Klappt es nicht? Wenden Sie sich an ${workspace}.`,
    link_expired: ({ workspace }) =>
      t`Dieser Link ist abgelaufen. Bitten Sie ${workspace} um einen neuen.`,
    link_full: ({ workspace }) =>
      t`Dieser Link hat sein Limit erreicht. Bitten Sie ${workspace} um einen neuen.`,
    link_identifier_full: ({ workspace }) =>
      t`Sie haben alles verbunden, was dieser Link erlaubt. Bitten Sie ${workspace} um einen neuen.`,
    link_revoked: ({ workspace }) =>
      t`${workspace} hat diesen Link geschlossen. Bitten Sie um einen neuen.`,
    oauth_app_missing: ({ workspace, tool }) =>
      t`Die Anmeldung bei ${tool} ist noch nicht eingerichtet. Bitten Sie ${workspace}, sie einzurichten.`,
    oauth_attempt_invalid: ({ workspace }) =>
      t`${workspace} hat inzwischen etwas geändert. Gehen Sie zurück, und beginnen Sie neu.`,
    oauth_issuer_mismatch: ({ tool }) =>
      t`Die Antwort kam nicht von der Seite, auf der Sie sich bei ${tool} angemeldet haben. Zu Ihrer Sicherheit haben wir abgebrochen. Beginnen Sie neu.`,
    other_browser: ({ tool }) =>
      t`Sie haben sich bei ${tool} in einem anderen Browser angemeldet. Zu Ihrer Sicherheit haben wir abgebrochen. Beginnen Sie neu, und bleiben Sie in einem Browser.`,
    oauth_start_revoked: ({ workspace, tool }) =>
      t`${workspace} hat diese Anfrage zurückgezogen, daher wurde ${tool} nicht verbunden. Wenden Sie sich an ${workspace}, wenn Sie es noch verbinden möchten.`,
    provider_error: ({ tool }) =>
      t`${tool} antwortet gerade nicht. Versuchen Sie es in einigen Minuten noch einmal.`,
    provider_timeout: ({ tool }) =>
      t`${tool} hat zu lange nicht geantwortet. Versuchen Sie es in einigen Minuten noch einmal.`,
    rate_limited: ({ tool }) =>
      t`${tool} begrenzt gerade die Zahl der Anfragen. Warten Sie eine Minute, und versuchen Sie es dann noch einmal.`,
    sign_in_overdue: ({ tool }) =>
      t`Die Anmeldung bei ${tool} wurde nicht innerhalb von 10 Minuten abgeschlossen. Beginnen Sie neu, wenn Sie so weit sind.`,
    sign_in_rejected: ({ workspace, tool }) =>
      t`Sie haben sich angemeldet, aber ${tool} hat den gerade erteilten Zugriff abgelehnt. Beginnen Sie neu. Wenn es wieder passiert, wenden Sie sich an ${workspace}.`,
    window_replaced: ({ tool }) =>
      t`Sie haben ${tool} in einem anderen Fenster noch einmal geöffnet. Schließen Sie dieses, und machen Sie dort weiter.`,
    wrong_host: ({ tool }) =>
      t`Unter dieser Adresse gibt es kein ${tool}. Prüfen Sie sie, oder kopieren Sie sie aus Ihrem Browser, während Sie angemeldet sind.`,
    unknown: ({ workspace, tool }) =>
      t`${tool} hat unerwartet geantwortet. Beginnen Sie neu. Wenn es wieder passiert, wenden Sie sich an ${workspace}.`,
  },
  setup: {
    start: ({ tool, workspace }) => ({
      title: t`${tool} für ${workspace} einrichten`,
      body: t`Diese Seite ist für die Person, die ${tool} in Ihrer Organisation verwaltet. Wenn Sie fortfahren, funktioniert sie nur in diesem Browser.`,
    }),
    form: ({ tool, workspace }) => ({
      title: t`${tool} für ${workspace} einrichten`,
      body: t`${workspace} verbindet sich mit ${tool} über Ihre eigene App. Legen Sie sie in ${tool} an und tragen Sie ihre Angaben hier ein.`,
    }),
    steps: ({ tool }) => t`In ${tool}`,
    createApp: ({ tool }) => t`Legen Sie in den Entwicklereinstellungen von ${tool} eine App an.`,
    enterAddress: 'Tragen Sie die Redirect-URI unten als erlaubte Adresse ein.',
    copyDetails: 'Kopieren Sie Client-ID und Client-Secret.',
    redirectUri: 'Redirect-URI',
    redirectUriHelp: 'Kopieren Sie sie genau, ohne Schrägstrich am Ende.',
    scopes: 'Berechtigungen, die die App braucht',
    details: 'Angaben zur App',
    clientId: 'Client-ID',
    issuer: 'Aussteller (Issuer)',
    issuerHelp:
      'Die Adresse des Servers, bei dem sich Personen anmelden, zum Beispiel https://auth.example.com.',
    noIssuer: 'Unter dieser Adresse wurde kein Server für die Anmeldung gefunden.',
    clientSecret: 'Client-Secret',
    clientSecretHelp: 'Lassen Sie es leer, wenn die App keines hat.',
    check: 'Prüfen und speichern',
    saveAnyway: 'Trotzdem speichern',
    note: ({ tool }) => t`Das Secret wird verschlüsselt gespeichert und nur an ${tool} gesendet.`,
    failed:
      'Die Prüfung hat ein Problem gefunden, nichts wurde gespeichert. Beheben Sie es und geben Sie das Secret erneut ein, oder speichern Sie trotzdem.',
    problems: {
      client: ({ tool }) => t`${tool} kennt diese Client-ID nicht, oder das Secret ist falsch.`,
      unreachable: ({ tool }) => t`${tool} hat auf die Prüfung nicht geantwortet.`,
      redirectUri: ({ tool }) =>
        t`${tool} akzeptiert die Redirect-URI nicht. Tragen Sie genau die oben in der App ein.`,
      notAllowed: ({ workspace }) =>
        t`Das Secret darf an diese Adresse noch nicht gesendet werden. Bitten Sie ${workspace}, sie zu erlauben.`,
    },
    saved: ({ tool, workspace }) => ({
      title: t`${tool} ist eingerichtet`,
      body: t`Ab jetzt verbindet Ihre Organisation ${tool} mit ${workspace} über Ihre App. Sie können es gleich verbinden.`,
    }),
    connectNow: 'Jetzt verbinden',
  },
  agent: {
    start: ({ workspace }) => ({
      title: 'Ein Assistent braucht Ihre Antwort',
      body: t`Ein Assistent, der für Sie arbeitet, möchte etwas tun, das nur Sie erlauben können. Weiter zu ${workspace}, damit wir wissen, dass Sie es sind; danach sehen Sie, worum es geht.`,
    }),
    review: ({ workspace, tool }) => ({
      title: t`In ${tool} erlauben?`,
      body: t`Ein Assistent in ${workspace} möchte genau das an ${tool} senden. Es wird einmal gesendet, und nur, wenn Sie es erlauben.`,
    }),
    as: ({ account }) => t`Mit Ihrer Verbindung ${account}`,
    details: 'Einzelheiten',
    content: 'Inhalt',
    file: ({ count }) => `Eine Datei mit ${number(count)} Bytes, die wir nicht anzeigen können.`,
    allow: 'Einmal erlauben',
    deny: 'Nicht erlauben',
    allowed: () => ({
      title: 'Erlaubt',
      body: 'Der Assistent kann das einmal tun, innerhalb von zehn Minuten nach seiner Frage. Sie können diese Seite schließen.',
    }),
    denied: () => ({
      title: 'Nicht erlaubt',
      body: 'Es wurde nichts gesendet. Sie können diese Seite schließen.',
    }),
    wrongPerson: ({ workspace }) => ({
      title: 'Das ist für jemand anderen',
      body: t`Der Assistent fragt nicht Sie; deshalb wurde nichts gezeigt und nichts erlaubt. Wenn Ihnen jemand diesen Link geschickt hat, sagen Sie es ${workspace}.`,
    }),
    ended: () => ({
      title: 'Diese Frage ist beendet',
      body: 'Sie wurde beantwortet, es dauerte zu lange, oder sie wurde in einem anderen Browser geöffnet. Bitten Sie den Assistenten, es noch einmal zu versuchen.',
    }),
  },
  consent: {
    ask: ({ client, workspace }) => ({
      title: t`Darf ${client} Ihre Verbindungen nutzen?`,
      body: t`${client} gehört nicht zu ${workspace}. Wenn Sie es erlauben, kann es nutzen, was Sie mit ${workspace} verbunden haben, jetzt und später, bis ${workspace} das beendet.`,
    }),
    from: ({ host }) => t`Was es über sich sagt, ist bei ${host} veröffentlicht.`,
    unverified: 'Es hat sich selbst registriert. Niemand hat seinen Namen geprüft.',
    to: ({ host }) => t`Ihre Antwort geht an ${host}.`,
    local:
      'Ihre Antwort geht an ein Programm auf diesem Gerät. Erlauben Sie es nur, wenn Sie dort gerade eine Anmeldung begonnen haben.',
    accounts: ({ workspace }) => t`Ihre Verbindungen mit ${workspace}`,
    noAccounts: 'Noch keine',
    more: 'und weitere',
    allowRead: 'Lesen erlauben',
    allowWrite: 'Lesen und Ändern erlauben',
    invalid: {
      title: 'Diese Anmeldung kann nicht fortgesetzt werden',
      body: 'Es wurde nichts erlaubt. Gehen Sie zurück zu Ihrer App und beginnen Sie neu. Wenn diese Seite wieder erscheint, brauchen ihre Entwickler diese Angaben:',
    },
  },
  sandbox: {
    title: 'Bei Acme Sandbox anmelden',
    body: 'Ein Tool für Tests. Seine Personen und Tickets sind erfunden, und nichts verlässt diesen Dienst.',
    access: 'Linchpin möchte Tickets lesen und anlegen.',
    as: ({ account }) => `Als ${account} fortfahren`,
    deny: 'Ablehnen',
    invalid: {
      title: 'Diese Anmeldung kann nicht fortgesetzt werden',
      body: 'Die Anfrage ist unvollständig. Gehen Sie zurück und beginnen Sie neu.',
    },
  },
  host: {
    title: 'Ein Tool verbinden',
    loading: 'Wird geladen',
    failed: 'Das ließ sich nicht öffnen. Schließen Sie es und versuchen Sie es gleich noch einmal.',
    notAllowed:
      'Das lässt sich hier nicht öffnen. Bitten Sie den Betreiber dieser Website, es zu erlauben.',
    close: 'Schließen',
  },
  labels: {
    'access token': 'Zugriffstoken',
    'account id': 'Konto-ID',
    'account sid': 'Konto-SID',
    address: 'Adresse',
    'admin api access token': 'Zugriffstoken der Admin-API',
    'api access token': 'API-Zugriffstoken',
    'data center': 'Rechenzentrum',
    'account name': 'Kontoname',
    'access key': 'Zugriffsschlüssel',
    'private key': 'Privater Schlüssel',
    'private api key': 'Privater API-Schlüssel',
    'public key': 'Öffentlicher Schlüssel',
    'app id': 'App-ID',
    'app api key': 'API-Schlüssel der App',
    instance: 'Instanz',
    workspace: 'Workspace',
    'european union': 'Europäische Union',
    'api key': 'API-Schlüssel',
    'api secret': 'API-Secret',
    'api token': 'API-Token',
    'application key': 'Anwendungsschlüssel',
    'auth token': 'Auth-Token',
    'bot token': 'Bot-Token',
    'client credentials': 'Client-ID und Client-Secret',
    'client id': 'Client-ID',
    'client identifier': 'Client-ID',
    'client secret': 'Client-Secret',
    'company domain': 'Firmendomain',
    'consumer key': 'Consumer Key',
    'consumer secret': 'Consumer Secret',
    domain: 'Domain',
    'e-mail': 'E-Mail-Adresse',
    email: 'E-Mail-Adresse',
    'email address': 'E-Mail-Adresse',
    'enterprise id': 'Enterprise-ID',
    environment: 'Umgebung',
    host: 'Host',
    'key secret': 'Secret des Schlüssels',
    'key sid': 'SID des Schlüssels',
    name: 'Name',
    organization: 'Organisation',
    password: 'Passwort',
    'personal access token': 'Persönliches Zugriffstoken',
    'personal api token': 'Persönliches API-Token',
    'personal token': 'Persönliches Token',
    port: 'Port',
    'project id': 'Projekt-ID',
    'public api token': 'Token der Public API',
    region: 'Region',
    scopes: 'Berechtigungen',
    secret: 'Secret',
    'secret key': 'Geheimer Schlüssel',
    'secret or restricted key': 'Geheimer oder eingeschränkter Schlüssel',
    server: 'Server',
    'server api token': 'API-Token des Servers',
    'server to server': 'Server-zu-Server',
    'service account': 'Dienstkonto',
    'service key': 'Dienstschlüssel',
    'service region': 'Serviceregion',
    site: 'Site',
    store: 'Shop',
    'store address': 'Adresse des Shops',
    subdomain: 'Subdomain',
    tenant: 'Mandant',
    token: 'Token',
    url: 'URL',
    'user id': 'Benutzer-ID',
    'user name': 'Benutzername',
    username: 'Benutzername',
    australia: 'Australien',
    canada: 'Kanada',
    china: 'China',
    europe: 'Europa',
    india: 'Indien',
    japan: 'Japan',
    'saudi arabia': 'Saudi-Arabien',
    'united arab emirates': 'Vereinigte Arabische Emirate',
    'united kingdom': 'Vereinigtes Königreich',
    'united states': 'Vereinigte Staaten',
    global: 'Weltweit',
    demo: 'Demo',
    live: 'Live',
    production: 'Produktion',
    sandbox: 'Sandbox',
    standard: 'Standard',
  },
} satisfies Translation
