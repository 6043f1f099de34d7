import { deFailures } from './failures/de.ts'
import { getFormatters } from './formatters.ts'
import { t } from './localized-text.ts'
import type { Messages } from './messages.ts'
import { deStates } from './states/de.ts'

const { number, plural } = getFormatters('de')

/** German, formal. */
export const de: Messages = {
  secured: 'Gesichert durch Linchpin',
  privacy: 'Datenschutz',
  terms: 'Nutzungsbedingungen',
  action: {
    back: 'Zurück',
    close: 'Schließen',
    cancel: 'Abbrechen',
    done: 'Fertig',
    tryAgain: 'Noch einmal versuchen',
    startAgain: 'Neu beginnen',
    checkAgain: 'Noch einmal prüfen',
    chooseAnother: 'Anderes Tool wählen',
    connectAnother: 'Weiteres Tool verbinden',
    openAgain: 'Fenster noch einmal öffnen',
    connect: ({ tool }) => t`${tool} verbinden`,
    continueTo: ({ tool }) => t`Weiter zu ${tool}`,
    returnTo: ({ workspace }) => t`Zurück zu ${workspace}`,
  },
  picker: {
    title: ({ workspace }) => t`${workspace} möchte Ihre Tools verbinden`,
    body: 'Wählen Sie ein Tool. Erst wenn Sie es verbinden, wird etwas geteilt.',
    search: 'Tools suchen',
    searchButton: 'Suchen',
    clear: 'Alle Tools zeigen',
    categories: 'Kategorien',
    all: 'Alle',
    found: ({ count }) =>
      plural(count, { one: `${number(count)} Tool`, other: `${number(count)} Tools` }),
    noMatch: ({ query }) => ({
      title: t`Kein Tool passt zu „${query}“`,
      body: 'Prüfen Sie die Schreibweise, oder versuchen Sie ein kürzeres Wort.',
    }),
    connectedHere: 'Gerade verbunden',
    connected: 'Verbunden',
    custom: 'Eigenes',
    category: {
      accounting: 'Buchhaltung',
      ai: 'KI',
      analytics: 'Auswertung',
      ats: 'Bewerbungen',
      calendar: 'Kalender',
      crm: 'Kundenpflege',
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
      support: 'Kundendienst',
      ticketing: 'Tickets',
    },
  },
  auth: {
    title: ({ tool }) => t`Wie möchten Sie ${tool} verbinden?`,
    body: 'Wählen Sie, was für Sie am einfachsten ist. Sie können die Verbindung jederzeit trennen.',
    signIn: ({ tool }) => t`Bei ${tool} anmelden`,
    signInLine: ({ host }) => t`Sie melden sich bei ${host} an und müssen nichts kopieren.`,
    recommended: 'Empfohlen',
    apiKey: 'API-Schlüssel verwenden',
    apiKeyLine: ({ tool }) => t`Sie kopieren einen Schlüssel aus Ihren Einstellungen in ${tool}.`,
    token: 'Zugriffstoken verwenden',
    password: 'Benutzernamen und Passwort verwenden',
    passwordLine: 'Das Passwort bleibt verschlüsselt.',
    other: ({ label }) => t`${label} verwenden`,
  },
  form: {
    title: ({ tool }) => t`${tool} verbinden`,
    who: ({ workspace, tool }) => t`${workspace} möchte sich mit Ihrem ${tool} verbinden.`,
    body: ({ workspace, tool }) =>
      t`${workspace} kann dann in ${tool} tun, was dieser Zugang erlaubt. Wir prüfen ihn mit ${tool} und bewahren ihn verschlüsselt auf. Sie können die Verbindung jederzeit trennen.`,
    custom: ({ workspace, tool }) =>
      t`${workspace} hat ${tool} selbst hinzugefügt, und niemand sonst hat es geprüft. Fahren Sie nur fort, wenn Sie es kennen.`,
    optional: 'optional',
    choose: 'Bitte wählen',
    show: 'Zeigen',
    hide: 'Verbergen',
    showField: ({ label }) => t`${label} zeigen`,
    hideField: ({ label }) => t`${label} verbergen`,
    whereToFind: 'Wo finde ich das?',
    newWindow: 'öffnet ein neues Fenster',
    faults: ({ count }) =>
      plural(count, {
        one: 'Bitte sehen Sie eine Angabe noch einmal an',
        other: `Bitte sehen Sie ${number(count)} Angaben noch einmal an`,
      }),
    reenterSecrets:
      'Zu Ihrer Sicherheit behalten wir keine Schlüssel und Passwörter. Bitte geben Sie sie neu ein.',
    sessionLost:
      'Diese Seite war zu lange offen, oder Cookies sind gesperrt. Nichts wurde weitergegeben. Prüfen Sie die Angaben und senden Sie sie noch einmal.',
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
    patternMismatch: ({ label }) => t`Bitte prüfen: ${label} hat nicht die erwartete Form`,
    example: ({ label }) => t`Zum Beispiel ${label}`,
    linesHelp: 'Schreiben Sie jeden Eintrag in eine eigene Zeile.',
    jsonHelp: 'Schreiben Sie es als JSON.',
  },
  states: deStates,
  failures: deFailures,
}
