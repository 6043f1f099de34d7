import { getFormatters } from './language.ts'
import { t } from './localized-text.ts'
import type { Messages } from './messages.ts'
import { dePortal } from './portal/de.ts'
import { deStates } from './states/de.ts'

const { number, plural } = getFormatters('de')

/** German, formal. */
export const de: Messages = {
  secured: 'Gesichert durch Linchpin',
  privacy: 'Datenschutz',
  terms: 'Nutzungsbedingungen',
  thisApp: 'diese App',
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
  states: deStates,
  portal: dePortal,
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
}
