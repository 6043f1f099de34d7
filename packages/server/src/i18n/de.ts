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
  thisApp: 'diese App',
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
    returnTo: ({ workspace }) => t`${workspace} öffnen`,
  },
  picker: {
    title: ({ workspace }) => t`Ihre Tools für ${workspace} verbinden`,
    body: 'Wählen Sie ein Tool. Erst wenn Sie es verbinden, wird etwas geteilt.',
    search: 'Tools suchen',
    searchButton: 'Suchen',
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
    passwordLine: 'Wir speichern das Passwort verschlüsselt.',
    other: ({ label }) => t`${label} verwenden`,
  },
  form: {
    title: ({ tool, workspace }) => t`${tool} für ${workspace} verbinden`,
    body: ({ workspace, tool }) =>
      t`${workspace} kann dann in ${tool} alles tun, was diese Angaben erlauben. Wir prüfen sie mit ${tool} und speichern sie verschlüsselt. Sie können die Verbindung jederzeit trennen.`,
    bodyForKey: ({ workspace, tool }) =>
      t`${workspace} kann dann in ${tool} alles tun, was dieser Schlüssel erlaubt. Wir prüfen ihn mit ${tool} und speichern ihn verschlüsselt. Sie können die Verbindung jederzeit trennen.`,
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
      'Zu Ihrer Sicherheit merkt sich diese Seite keine Schlüssel und Passwörter. Geben Sie sie noch einmal ein.',
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
  failures: deFailures,
}
