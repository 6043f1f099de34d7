import { getFormatters } from './language.ts'
import { t } from './localized-text.ts'
import type { Messages } from './messages.ts'
import { itPortal } from './portal/it.ts'
import { itStates } from './states/it.ts'

const { number, plural } = getFormatters('it')

/** Italian, with "tu", as software usually speaks. */
export const it: Messages = {
  secured: 'Protetto da Linchpin',
  privacy: 'Privacy',
  terms: 'Condizioni',
  thisApp: 'questa app',
  action: {
    back: 'Indietro',
    close: 'Chiudi',
    cancel: 'Annulla',
    done: 'Fine',
    tryAgain: 'Riprova',
    continue: 'Continua',
    startAgain: 'Ricomincia',
    checkAgain: 'Controlla di nuovo',
    chooseAnother: 'Scegli un altro strumento',
    connectAnother: 'Collega un altro strumento',
    updateConnection: 'Aggiorna la connessione',
    addConnection: 'Aggiungi un’altra connessione',
    openAgain: 'Riapri la finestra',
    connect: ({ tool }) => t`Collega ${tool}`,
    continueTo: ({ tool }) => t`Continua su ${tool}`,
    returnTo: ({ workspace }) => t`Torna a ${workspace}`,
    returning: ({ workspace }) => t`Stai tornando a ${workspace}…`,
    stay: 'Resta su questa pagina',
  },
  picker: {
    title: ({ workspace }) => t`Collega i tuoi strumenti a ${workspace}`,
    body: 'Scegli uno strumento. Non viene condiviso nulla finché non lo colleghi.',
    search: 'Cerca strumenti',
    searchButton: 'Cerca',
    skip: 'Vai agli strumenti',
    clear: 'Mostra tutti gli strumenti',
    categories: 'Categorie',
    all: 'Tutti',
    resultCount: ({ count }) =>
      plural(count, { one: `${number(count)} strumento`, other: `${number(count)} strumenti` }),
    noMatch: ({ query }) => ({
      title: t`Nessuno strumento corrisponde a “${query}”`,
      body: 'Controlla l’ortografia o prova con una parola più breve.',
    }),
    connectedHere: 'Appena collegati',
    connected: 'Collegato',
    custom: 'Personalizzato',
    test: 'Test',
    category: {
      accounting: 'Contabilità',
      ai: 'IA',
      analytics: 'Analisi dei dati',
      ats: 'Selezione del personale',
      calendar: 'Calendario',
      crm: 'CRM',
      developer_tools: 'Sviluppo',
      documentation: 'Documentazione',
      hris: 'Risorse umane',
      identity: 'Identità',
      mail: 'Posta elettronica',
      marketing: 'Marketing',
      messaging: 'Comunicazione',
      other: 'Altro',
      payments: 'Pagamenti',
      project_management: 'Progetti',
      social: 'Social network',
      storage: 'File',
      support: 'Assistenza clienti',
      ticketing: 'Ticket',
    },
  },
  auth: {
    title: ({ tool }) => t`Come vuoi collegare ${tool}?`,
    body: 'Scegli la soluzione più semplice per te. Puoi scollegare lo strumento in qualsiasi momento.',
    signIn: ({ tool }) => t`Accedi a ${tool}`,
    signInLine: ({ host }) => t`Accedi su ${host}. Non devi copiare nulla.`,
    recommended: 'Consigliato',
    apiKey: 'Usa una chiave API',
    apiKeyLine: ({ tool }) => t`Copia una chiave dalle tue impostazioni in ${tool}.`,
    tokenLine: ({ tool }) => t`Copia un token dalle tue impostazioni in ${tool}.`,
    token: 'Usa un token di accesso',
    password: 'Usa nome utente e password',
    passwordLine: 'Conserviamo la tua password crittografata.',
    fieldsLine: ({ label }) => t`Ti serve: ${label}.`,
    scopes: ({ workspace }) => t`${workspace} potrà:`,
    moreScopes: ({ count }) => `Altre ${number(count)}`,
    other: ({ label }) => t`Usa ${label}`,
  },
  form: {
    title: ({ tool, workspace }) => t`Collega ${tool} a ${workspace}`,
    reconnectTitle: ({ tool, workspace }) => t`Ricollega ${tool} a ${workspace}`,
    change: 'Modifica',
    body: ({ workspace, tool }) =>
      t`${workspace} potrà fare in ${tool} tutto ciò che questi dati consentono. Li verifichiamo con ${tool} e li conserviamo crittografati. Puoi scollegarlo in qualsiasi momento.`,
    bodyForKey: ({ workspace, tool }) =>
      t`${workspace} potrà fare in ${tool} tutto ciò che questa chiave consente. La verifichiamo con ${tool} e la conserviamo crittografata. Puoi scollegarlo in qualsiasi momento.`,
    custom: ({ workspace, tool }) =>
      t`${workspace} ha creato questo collegamento a ${tool}, che non è stato verificato. Continua solo se ti fidi.`,
    optional: 'facoltativo',
    choose: 'Scegli',
    show: 'Mostra',
    hide: 'Nascondi',
    showField: ({ label }) => t`Mostra ${label}`,
    hideField: ({ label }) => t`Nascondi ${label}`,
    whereToFind: 'Dove lo trovo?',
    newWindow: 'apre una nuova finestra',
    fieldErrors: ({ count }) =>
      plural(count, { one: 'Controlla un campo', other: `Controlla ${number(count)} campi` }),
    reenterSecrets:
      'Per la tua sicurezza questa pagina non conserva chiavi o password. Inseriscile di nuovo.',
    sessionLost:
      'Questa pagina è rimasta aperta troppo a lungo oppure i cookie sono bloccati. Non è stato inviato nulla. Controlla il modulo e invialo di nuovo.',
    missing: ({ label }) => t`Compila il campo: ${label}`,
    notChosen: ({ label }) => t`Scegli un valore: ${label}`,
    notEmail: 'Inserisci un indirizzo email, come nome@example.com',
    notUrl: 'Inserisci un indirizzo completo, come https://example.com',
    notNumber: 'Inserisci un numero',
    notDate: 'Inserisci una data',
    tooShort: ({ count }) =>
      plural(count, {
        one: 'Inserisci almeno un carattere',
        other: `Inserisci almeno ${number(count)} caratteri`,
      }),
    tooLong: ({ count }) =>
      plural(count, {
        one: 'Inserisci al massimo un carattere',
        other: `Inserisci al massimo ${number(count)} caratteri`,
      }),
    tooSmall: ({ count }) => `Inserisci ${number(count)} o un valore maggiore`,
    tooLarge: ({ count }) => `Inserisci ${number(count)} o un valore minore`,
    patternMismatch: ({ label }) => t`Controlla ${label}: il formato non è quello previsto`,
    example: ({ label }) => t`Per esempio ${label}`,
    linesHelp: 'Inserisci un elemento per riga.',
    jsonHelp: 'Inseriscilo in formato JSON.',
  },
  states: itStates,
  portal: itPortal,
  failures: {
    access_denied: () =>
      'L’accesso è stato negato. Non viene condiviso nulla. Se è stato un errore, ricomincia.',
    admin_consent_granted: ({ tool }) =>
      t`Un amministratore di ${tool} ha dato l’autorizzazione, ma nessuno ha ancora eseguito l’accesso. Ricomincia per collegare il tuo account.`,
    already_connected: ({ tool }) =>
      t`Hai già collegato ${tool} con questo account. Ricomincia per aggiornare quella connessione o aggiungerne un’altra.`,
    authorization_request_failed: ({ workspace, tool }) =>
      t`${tool} non ha accettato la richiesta di accesso. Non viene condiviso nulla. Contatta ${workspace}: solo loro possono risolvere.`,
    cancelled: ({ tool }) =>
      t`Hai annullato prima della risposta di ${tool}. Non è stato collegato nulla. Ricomincia quando vuoi.`,
    credentials_rejected: ({ workspace, tool }) =>
      t`${tool} non ha accettato i dati inseriti. Controllali e riprova. Non funziona ancora? Contatta ${workspace}.`,
    egress_unavailable: ({ workspace, tool }) =>
      t`Non riusciamo a raggiungere ${tool} per un problema della nostra rete. Riprova tra qualche minuto. Non funziona ancora? Contatta ${workspace}.`,
    identity_mismatch: ({ tool }) =>
      t`Hai effettuato l’accesso a ${tool} con un account diverso dal precedente. Esci da lì e ricomincia con lo stesso account.`,
    insufficient_scope: ({ tool }) =>
      t`${tool} ha accettato questa chiave, ma le autorizzazioni non bastano. Aggiungile in ${tool} o usa un’altra chiave.`,
    integration_failed: ({ workspace, tool }) =>
      t`Non è stato possibile collegare ${tool} per un nostro errore. Riprova; se succede ancora, contatta ${workspace}.`,
    integration_timeout: ({ workspace, tool }) =>
      t`Il collegamento di ${tool} ha richiesto troppo tempo. Riprova; se succede ancora, contatta ${workspace}.`,
    key_rejected: ({ workspace, tool }) =>
      t`${tool} non ha accettato questa chiave. Controlla di averla copiata per intero o creane una nuova. Non funziona ancora? Contatta ${workspace}.`,
    link_expired: ({ workspace }) => t`Questo link è scaduto. Chiedine uno nuovo a ${workspace}.`,
    link_full: ({ workspace }) =>
      t`Questo link ha raggiunto il limite. Chiedine uno nuovo a ${workspace}.`,
    link_identifier_full: ({ workspace }) =>
      t`Hai collegato tutto ciò che questo link consente. Chiedine uno nuovo a ${workspace}.`,
    link_revoked: ({ workspace }) => t`${workspace} ha chiuso questo link. Chiedine uno nuovo.`,
    oauth_app_missing: ({ workspace, tool }) =>
      t`L’accesso a ${tool} non è ancora configurato. Chiedi a ${workspace} di configurarlo.`,
    oauth_attempt_invalid: ({ workspace }) =>
      t`Nel frattempo ${workspace} ha modificato qualcosa. Torna indietro e ricomincia.`,
    oauth_issuer_mismatch: ({ tool }) =>
      t`La risposta non proviene dal sito su cui hai effettuato l’accesso a ${tool}. Per la tua sicurezza ci siamo fermati. Ricomincia.`,
    other_browser: ({ tool }) =>
      t`Hai effettuato l’accesso a ${tool} in un altro browser. Per la tua sicurezza ci siamo fermati. Ricomincia e usa un solo browser.`,
    oauth_start_revoked: ({ workspace, tool }) =>
      t`${workspace} ha ritirato questa richiesta, quindi ${tool} non è stato collegato. Contatta ${workspace} se vuoi ancora collegarlo.`,
    provider_error: ({ tool }) =>
      t`${tool} non risponde in questo momento. Riprova tra qualche minuto.`,
    provider_timeout: ({ tool }) =>
      t`${tool} ha impiegato troppo tempo a rispondere. Riprova tra qualche minuto.`,
    rate_limited: ({ tool }) =>
      t`${tool} sta limitando le richieste in questo momento. Aspetta un minuto e riprova.`,
    sign_in_overdue: ({ tool }) =>
      t`L’accesso a ${tool} non è stato completato entro 10 minuti. Ricomincia quando vuoi.`,
    sign_in_rejected: ({ workspace, tool }) =>
      t`Hai effettuato l’accesso, ma ${tool} ha poi rifiutato l’autorizzazione concessa. Ricomincia; se succede ancora, contatta ${workspace}.`,
    window_replaced: ({ tool }) =>
      t`Hai riaperto ${tool} in un’altra finestra. Chiudi questa e continua lì.`,
    wrong_host: ({ tool }) =>
      t`A questo indirizzo non c’è ${tool}. Controllalo o copialo dal browser dopo aver effettuato l’accesso.`,
    unknown: ({ workspace, tool }) =>
      t`${tool} ha dato una risposta inattesa. Ricomincia; se succede ancora, contatta ${workspace}.`,
  },
}
