import { createTextTag, getFormatters } from '../localized-text.ts'
import type { Translation } from '../messages.ts'

const LOCALE = 'it'
const THIS_APP = 'questa app'
const { day, daysAgo, minute, number, plural, relativeTime } = getFormatters(LOCALE)
const t = createTextTag(THIS_APP)

/** Italian, with "tu", as software usually speaks. */
export const it = {
  locale: LOCALE,
  direction: 'ltr',
  technicalTerms: /oauth|bundle|credenzial|autentica|fornitore|!/i,
  secured: 'Protetto da Linchpin',
  privacy: 'Privacy',
  terms: 'Condizioni',
  thisApp: THIS_APP,
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
    newScopes: ({ workspace }) => t`Novità: ${workspace} potrà anche:`,
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
  states: {
    noneInWorkspace: ({ workspace }) => ({
      title: 'Non c’è ancora nulla da collegare',
      body: t`${workspace} non ha ancora aggiunto strumenti a questo link. Chiedi a ${workspace} di aggiungerne uno.`,
    }),
    noneMatchKeys: ({ workspace }) => ({
      title: 'Qui non c’è nulla da collegare',
      body: t`Questo link richiede strumenti che ${workspace} non offre. Contatta ${workspace}.`,
    }),
    noneWithSignIn: ({ workspace }) => ({
      title: 'Non c’è nulla a cui accedere',
      body: t`Questo link è solo per strumenti a cui si accede con il proprio account, e ${workspace} non ne ha configurati. Contatta ${workspace}.`,
    }),
    appMissing: ({ workspace, tool }) => ({
      title: t`${tool} non è ancora configurato`,
      body: t`Prima che tu possa collegarlo, ${workspace} deve configurare l’accesso a ${tool}. Contatta ${workspace}.`,
    }),
    appRemoved: ({ workspace, tool }) => ({
      title: t`${tool} non può essere ricollegato al momento`,
      body: t`Prima ${workspace} deve configurare di nuovo l’accesso a ${tool}. La tua connessione non è cambiata. Contatta ${workspace}.`,
    }),
    toolGone: ({ workspace }) => ({
      title: 'Questo strumento non è più disponibile qui',
      body: t`${workspace} non lo offre più. Nulla è cambiato. Contatta ${workspace} se ti serve ancora.`,
    }),
    signIn: ({ workspace, tool, host }) => ({
      title: t`Collega ${tool} a ${workspace}`,
      body: t`Accederai su ${host}, dove vedrai che cosa condividi. ${workspace} non vede mai la tua password.`,
    }),
    signInAgain: ({ workspace, tool, host }) => ({
      title: t`Ricollega ${tool} a ${workspace}`,
      body: t`Accederai su ${host}, dove vedrai che cosa condividi. ${workspace} non vede mai la tua password.`,
    }),
    beforeSignIn: ({ workspace, tool, host }) => ({
      title: t`${workspace} ha creato questo collegamento a ${tool}, che non è stato verificato. Continua solo se conosci ${host}.`,
      body: t`Puoi scollegarlo in qualsiasi momento. Se non l’hai richiesto tu, chiudi la pagina: nulla viene condiviso con ${workspace}.`,
    }),
    waitingSignIn: ({ tool }) => ({
      title: t`Completa l’accesso a ${tool}`,
      body: t`${tool} è aperto in un’altra finestra. Quando avrai finito, questa pagina si aggiornerà automaticamente.`,
    }),
    popupBlocked: ({ tool }) => ({
      title: 'Il browser ha bloccato la finestra',
      body: t`Continua su ${tool} in questa stessa pagina. Alla fine tornerai qui.`,
    }),
    popupBlockedInFrame: ({ tool }) => ({
      title: 'Il browser ha bloccato la finestra',
      body: t`Continua su ${tool} in una nuova scheda. Quando avrai finito, questa pagina si aggiornerà automaticamente.`,
    }),
    windowClosed: ({ tool }) => ({
      title: 'Accesso non completato',
      body: t`La finestra di accesso a ${tool} sembra chiusa. Riprova o, se è ancora aperta, completa lì l’accesso: questa pagina si aggiornerà automaticamente.`,
    }),
    checking: ({ tool }) => ({
      title: t`Verifica con ${tool} in corso`,
      body: 'Servono alcuni secondi. Lascia aperta questa pagina.',
    }),
    slow: ({ tool }) => ({
      title: t`${tool} impiega più tempo del solito`,
      body: t`Puoi continuare ad aspettare o riprovare più tardi. Non viene collegato nulla finché ${tool} non risponde.`,
    }),
    offline: () => ({
      title: 'Sei offline',
      body: 'I dati inseriti sono ancora qui. Controlla la connessione e riprova.',
    }),
    connected: ({ workspace, tool }) => ({
      title: t`${tool} è collegato`,
      body: t`Puoi chiudere questa pagina e tornare a ${workspace}.`,
    }),
    connectedAs: ({ workspace, tool, account }) => ({
      title: t`${tool} è collegato`,
      body: t`Collegato come ${account}. Puoi chiudere questa pagina e tornare a ${workspace}.`,
    }),
    failed: ({ tool }) => ({
      title: t`${tool} non è stato collegato`,
      body: 'Non viene condiviso nulla.',
    }),
    chooseFacts: ({ tool }) => ({
      title: t`Scegli che cosa collegare in ${tool}`,
      body: t`Il tuo accesso a ${tool} comprende più possibilità.`,
    }),
    alreadyConnected: ({ tool, account }) => ({
      title: t`Hai già collegato ${account}`,
      body: t`Aggiorna la connessione esistente a ${tool} o aggiungine un’altra. Finché non scegli, non cambia nulla.`,
    }),
    expired: ({ workspace, at }) => ({
      title: t`Questo link è scaduto in data ${day(at)}`,
      body: t`Chiedine uno nuovo a ${workspace}. Ciò che hai già collegato resta collegato.`,
    }),
    revoked: ({ workspace }) => ({
      title: t`${workspace} ha chiuso questo link`,
      body: t`Chiedine uno nuovo a ${workspace}. Ciò che hai già collegato resta collegato.`,
    }),
    unknownLink: () => ({
      title: 'Non troviamo questo link',
      body: 'Forse ne manca una parte. Aprilo di nuovo da dove l’hai ricevuto o chiedine uno nuovo.',
    }),
    full: ({ workspace }) => ({
      title: 'Questo link ha raggiunto il limite',
      body: t`Tutto ciò che consente è già collegato. Chiedine uno nuovo a ${workspace}.`,
    }),
    identifierFull: ({ workspace }) => ({
      title: 'Hai collegato tutto ciò che questo link consente',
      body: t`Per collegare altro, chiedi un nuovo link a ${workspace}.`,
    }),
    alreadyFinished: ({ tool }) => ({
      title: 'Operazione già eseguita',
      body: t`Hai già inviato questo modulo per ${tool}. Nulla è stato fatto due volte.`,
    }),
    stillRunning: ({ tool }) => ({
      title: t`La verifica con ${tool} è ancora in corso`,
      body: 'Hai già inviato questo modulo. La verifica continua e nulla viene fatto due volte.',
    }),
    rateLimited: ({ seconds }) => ({
      title: 'Troppe richieste',
      body: t`Riprova ${relativeTime(seconds)}. Ciò che è già collegato resta collegato.`,
    }),
    tooManyFailed: ({ seconds }) => ({
      title: 'Troppi tentativi non riusciti',
      body: t`Troppi tentativi dal tuo browser o dalla tua rete sono stati rifiutati. Riprova ${relativeTime(seconds)}. Ciò che è già collegato resta collegato.`,
    }),
    notHere: () => ({
      title: 'Questa pagina non può essere mostrata qui',
      body: 'Questo sito non è tra quelli che possono mostrarla. Chiedi all’azienda che lo gestisce di aggiungerlo.',
    }),
    notOurs: () => ({
      title: 'Non è stato possibile inviare questo modulo',
      body: 'Per la tua sicurezza accettiamo solo moduli da questa pagina, quindi non è stato fatto nulla. Riapri il tuo link e invia il modulo da lì.',
    }),
    sessionStart: ({ workspace }) => ({
      title: t`${workspace} ti chiede di collegare uno strumento`,
      body: t`Nella pagina successiva scegli che cosa collegare. Continua solo se arrivi da ${workspace}; dopo, la pagina funziona soltanto in questo browser.`,
    }),
    sessionStartOne: ({ workspace, tool }) => ({
      title: t`Collega ${tool} a ${workspace}`,
      body: t`Continua solo se arrivi da ${workspace}; dopo, la pagina funziona soltanto in questo browser.`,
    }),
    sessionRefused: () => ({
      title: 'Questa pagina non può essere usata',
      body: 'Funziona una volta, in un solo browser e per un tempo limitato. Torna da dove sei arrivato e ricomincia.',
    }),
    sessionUsed: ({ workspace }) => ({
      title: 'Questo link è già stato usato',
      body: t`Ciò a cui serviva è stato fatto. Per collegare altro, chiedine uno nuovo a ${workspace}.`,
    }),
    sessionElsewhere: ({ workspace }) => ({
      title: 'Questo link è stato aperto in un altro browser',
      body: t`Per la tua sicurezza funziona solo nel primo browser che lo ha aperto. Continua lì, oppure chiedine uno nuovo a ${workspace}.`,
    }),
    sessionRequired: () => ({
      title: 'Per questa pagina serve un invito',
      body: 'Torna all’app che ti ha indirizzato qui e comincia da lì.',
    }),
    wrongAddress: () => ({
      title: 'Questo link non è valido',
      body: 'Non indica correttamente a chi è destinato, quindi non è stato fatto nulla. Contatta l’azienda che l’ha inviato.',
    }),
    notOffered: ({ workspace, tool }) => ({
      title: t`${tool} non è più disponibile qui`,
      body: t`${workspace} ha modificato questo link. Non è collegato nulla e non abbiamo conservato i dati inseriti.`,
    }),
    wayChanged: ({ workspace, tool }) => ({
      title: t`${tool} ora si collega in modo diverso`,
      body: t`${workspace} ha modificato questo collegamento. Non è collegato nulla e non abbiamo conservato i dati inseriti.`,
    }),
    redirectNotAllowed: () => ({
      title: 'Questo link riporta a un indirizzo non consentito',
      body: 'L’azienda che l’ha inviato non ha consentito questo indirizzo, quindi non è stato fatto nulla. Contatta quell’azienda.',
    }),
    busy: () => ({
      title: 'Al momento non possiamo continuare',
      body: 'Il problema è nostro e non è stato collegato nulla. Aspetta un minuto, poi ricomincia.',
    }),
    closed: () => ({
      title: 'Puoi chiudere questa finestra',
      body: 'La pagina da cui provieni si aggiornerà automaticamente.',
    }),
    notKnown: () => ({
      title: 'Questa pagina è scaduta',
      body: 'È già stata usata oppure sono passati 10 minuti. Torna da dove sei partito e ricomincia.',
    }),
    finished: () => ({
      title: 'Operazione già eseguita',
      body: 'Puoi chiudere questa pagina. La pagina da cui provieni mostra se il collegamento è riuscito.',
    }),
    adminConsent: () => ({
      title: 'L’autorizzazione dell’amministratore è stata concessa',
      body: 'Non è ancora collegato nulla. Torna all’app che vuoi collegare e inizia da lì.',
    }),
    startedElsewhere: () => ({
      title: 'Questo accesso deve iniziare altrove',
      body: 'L’app che vuoi collegare non lo ha avviato, quindi non è stato collegato nulla. Apri quell’app ed esegui il collegamento da lì.',
    }),
    otherBrowser: () => ({
      title: 'L’operazione è iniziata in un altro browser',
      body: 'Per la tua sicurezza ci siamo fermati e non è stato collegato nulla. Ricomincia e usa un solo browser. I cookie devono essere consentiti.',
    }),
  },
  portal: {
    start: ({ workspace }) => ({
      title: t`Le tue connessioni a ${workspace}`,
      body: t`Nella pagina successiva vedi che cosa hai collegato a ${workspace}. Continua solo se arrivi da ${workspace}; poi questa pagina funziona solo in questo browser.`,
    }),
    title: ({ workspace }) => t`Le tue connessioni a ${workspace}`,
    body: 'Scollega ciò che non ti serve più.',
    attention: ({ count, total }) =>
      plural(count, {
        one: `${number(count)} connessione su ${number(total)} richiede attenzione`,
        other: `${number(count)} connessioni su ${number(total)} richiedono attenzione`,
      }),
    none: ({ workspace }) => ({
      title: 'Non c’è nulla di collegato',
      body: t`Gli strumenti che colleghi a ${workspace} compaiono qui.`,
    }),
    signedInAs: ({ account }) => t`Accesso come ${account}`,
    connectedOn: ({ at }) => `Collegato il ${day(at)}`,
    lastUsedOn: ({ at }) => `Ultimo uso: ${day(at)}`,
    lastUsedAgo: ({ count }) => `Ultimo uso: ${daysAgo(count)}`,
    neverUsed: 'Non ancora usato',
    active: 'Funziona',
    unchecked: 'Non ancora verificato',
    needsReauth: 'Non funziona più. Collegalo di nuovo.',
    error: ({ workspace }) => t`Al momento non funziona. ${workspace} deve risolvere il problema.`,
    pending: ({ workspace }) => t`In attesa della conferma di ${workspace}`,
    more: ({ tool, account }) => t`Altre azioni per ${tool}: ${account}`,
    disconnect: 'Scollega',
    disconnectAccount: ({ tool, account }) => t`Scollega ${tool}: ${account}`,
    reconnect: 'Ricollega',
    reconnectAccount: ({ tool, account }) => t`Ricollega ${tool}: ${account}`,
    connectFirst: 'Collega uno strumento',
    showMore: 'Mostra altro',
    yourConnections: 'Le tue connessioni',
    ask: ({ tool, workspace }) => ({
      title: t`Scollegare ${tool}?`,
      body: t`${workspace} non potrà più usare questa connessione, e ciò che abbiamo salvato verrà cancellato. Puoi ricollegare ${tool} in qualsiasi momento.`,
    }),
    confirm: ({ tool }) => t`Scollega ${tool}`,
    keep: 'Mantieni la connessione',
    disconnected: ({ tool }) => t`${tool} è scollegato`,
    revoked: ({ tool }) =>
      t`${tool} ha confermato di aver revocato l’accesso, e abbiamo cancellato ciò che avevamo salvato.`,
    revocationUnsupported: ({ tool }) =>
      t`Abbiamo cancellato ciò che avevamo salvato. ${tool} non ci permette di revocare l’accesso; puoi farlo nelle tue impostazioni di ${tool}.`,
    revocationFailed: ({ tool }) =>
      t`Abbiamo cancellato ciò che avevamo salvato, ma ${tool} non ha confermato la revoca. Per sicurezza, rimuovi l’accesso nelle tue impostazioni di ${tool}.`,
    grantShared: ({ tool }) =>
      t`Abbiamo cancellato ciò che avevamo salvato. Un’altra connessione usa lo stesso accesso a ${tool}; verrà revocato quando scolleghi anche quella.`,
    nothingToRevoke: ({ tool }) =>
      t`Abbiamo cancellato ciò che avevamo salvato. Se avevi creato una chiave, eliminala nelle tue impostazioni di ${tool}.`,
    gone: () => ({
      title: 'Questa connessione non è più in elenco',
      body: 'Forse è già stata scollegata. Non è cambiato nulla.',
    }),
    agents: {
      link: 'Assistenti IA',
      ofAccount: ({ tool, account }) => t`Assistenti IA e ${tool}: ${account}`,
      ask: ({ tool, workspace }) => ({
        title: t`Cosa possono fare gli assistenti IA in ${tool}?`,
        body: t`Gli assistenti IA di ${workspace} possono usare questa connessione, entro i limiti stabiliti da ${workspace}. Puoi limitarli ulteriormente.`,
      }),
      label: 'Gli assistenti IA possono',
      access: {
        full: 'leggere e modificare',
        read_only: 'solo leggere',
        paused: 'non fare nulla',
      },
      save: 'Salva',
      saved: 'Salvato. Vale da subito.',
      restricted: {
        read_only: 'Gli assistenti IA possono solo leggere',
        paused: 'In pausa per gli assistenti IA',
      },
      recent: 'Ultime richieste',
      none: 'Ancora nessuna.',
      read: 'Lettura',
      changed: 'Inviata',
      refused: 'Non inviata',
      at: ({ at }) => minute(at),
      clients: 'App con accesso alle tue connessioni',
      endAccess: 'Revoca accesso',
      endAccessOf: ({ client }) => t`Revoca accesso: ${client}`,
    },
  },
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
  setup: {
    start: ({ tool, workspace }) => ({
      title: t`Configura ${tool} per ${workspace}`,
      body: t`Questa pagina è per chi amministra ${tool} nella tua organizzazione. Se continui, funzionerà solo in questo browser.`,
    }),
    form: ({ tool, workspace }) => ({
      title: t`Configura ${tool} per ${workspace}`,
      body: t`${workspace} si collega a ${tool} con la tua app. Creala in ${tool}, poi inserisci qui i suoi dati.`,
    }),
    steps: ({ tool }) => t`In ${tool}`,
    createApp: ({ tool }) => t`Crea un'app nelle impostazioni per sviluppatori di ${tool}.`,
    enterAddress: "Inserisci l'URI di reindirizzamento qui sotto come indirizzo consentito.",
    copyDetails: "Copia l'ID client e il segreto client.",
    redirectUri: 'URI di reindirizzamento',
    redirectUriHelp: 'Copialo esattamente, senza barra finale.',
    scopes: "Autorizzazioni necessarie all'app",
    details: "Dati dell'app",
    clientId: 'ID client',
    issuer: 'Emittente (issuer)',
    issuerHelp: 'L’indirizzo del server a cui si accede, ad esempio https://auth.example.com.',
    noIssuer: 'A questo indirizzo non è stato trovato alcun server di accesso.',
    clientSecret: 'Segreto client',
    clientSecretHelp: "Lascialo vuoto se l'app non ne ha uno.",
    check: 'Verifica e salva',
    saveAnyway: 'Salva comunque',
    note: ({ tool }) => t`Il segreto viene conservato cifrato e inviato solo a ${tool}.`,
    failed:
      'La verifica ha trovato un problema e non è stato salvato nulla. Correggilo e inserisci di nuovo il segreto, oppure salva comunque.',
    problems: {
      client: ({ tool }) => t`${tool} non conosce questo ID client, oppure il segreto è errato.`,
      unreachable: ({ tool }) => t`${tool} non ha risposto alla verifica.`,
      redirectUri: ({ tool }) =>
        t`${tool} non accetta l'URI di reindirizzamento. Inserisci nell'app esattamente quello qui sopra.`,
      notAllowed: ({ workspace }) =>
        t`Il segreto non può ancora essere inviato a questo indirizzo. Chiedi a ${workspace} di consentirlo.`,
    },
    saved: ({ tool, workspace }) => ({
      title: t`${tool} è configurato`,
      body: t`D'ora in poi la tua organizzazione collega ${tool} a ${workspace} con la tua app. Puoi collegarlo subito.`,
    }),
    connectNow: 'Collega ora',
  },
  agent: {
    start: ({ workspace }) => ({
      title: 'Un assistente aspetta la tua risposta',
      body: t`Un assistente che lavora per te vuole fare qualcosa che solo tu puoi consentire. Continua su ${workspace}, così sappiamo che sei tu; poi vedrai di che cosa si tratta.`,
    }),
    review: ({ workspace, tool }) => ({
      title: t`Consentire questo in ${tool}?`,
      body: t`Un assistente in ${workspace} vuole inviare esattamente questo a ${tool}. L’invio avviene una sola volta, e solo se lo consenti.`,
    }),
    as: ({ account }) => t`Con la tua connessione ${account}`,
    details: 'Dettagli',
    content: 'Contenuto',
    file: ({ count }) => `Un file di ${number(count)} byte, che non possiamo mostrare.`,
    allow: 'Consenti una volta',
    deny: 'Non consentire',
    allowed: () => ({
      title: 'Consentito',
      body: 'L’assistente può farlo una volta, entro dieci minuti dalla sua domanda. Puoi chiudere questa pagina.',
    }),
    denied: () => ({
      title: 'Non consentito',
      body: 'Non è stato inviato nulla. Puoi chiudere questa pagina.',
    }),
    wrongPerson: ({ workspace }) => ({
      title: 'Questo è per qualcun altro',
      body: t`L’assistente non si rivolge a te, quindi non è stato mostrato né consentito nulla. Se qualcuno ti ha inviato questo link, avvisa ${workspace}.`,
    }),
    ended: () => ({
      title: 'Questa domanda è chiusa',
      body: 'Ha già avuto risposta, è passato troppo tempo o è stata aperta in un altro browser. Chiedi all’assistente di riprovare.',
    }),
  },
  consent: {
    ask: ({ client, workspace }) => ({
      title: t`Consentire a ${client} di usare le tue connessioni?`,
      body: t`${client} non fa parte di ${workspace}. Se lo consenti, può usare ciò che hai connesso a ${workspace}, ora e in seguito, finché ${workspace} non lo interrompe.`,
    }),
    from: ({ host }) => t`Ciò che dice di sé è pubblicato su ${host}.`,
    unverified: 'Si è registrata da sola. Nessuno ha verificato il suo nome.',
    to: ({ host }) => t`La tua risposta va a ${host}.`,
    local:
      'La tua risposta va a un programma su questo dispositivo. Consenti solo se hai appena iniziato ad accedere da lì.',
    accounts: ({ workspace }) => t`Le tue connessioni a ${workspace}`,
    noAccounts: 'Ancora nessuna',
    more: 'e altre',
    allowRead: 'Consenti la lettura',
    allowWrite: 'Consenti lettura e modifiche',
    invalid: {
      title: 'Questo accesso non può continuare',
      body: 'Non è stato consentito nulla. Torna alla tua app e ricomincia. Se questa pagina riappare, ai suoi sviluppatori servono questi dati:',
    },
  },
  sandbox: {
    title: 'Accedi ad Acme Sandbox',
    body: 'Uno strumento di prova. Persone e ticket sono inventati e nulla lascia questo servizio.',
    access: 'Linchpin chiede di leggere e creare ticket.',
    as: ({ account }) => `Continua come ${account}`,
    deny: 'Rifiuta',
    invalid: {
      title: 'Questo accesso non può continuare',
      body: 'La richiesta è incompleta. Torna indietro e ricomincia.',
    },
  },
  host: {
    title: 'Collega uno strumento',
    loading: 'Caricamento',
    failed: 'Apertura non riuscita. Chiudi e riprova tra poco.',
    notAllowed:
      'Non si può aprire qui. Chiedi all’azienda che gestisce questo sito di consentirlo.',
    close: 'Chiudi',
  },
  labels: {
    'access token': 'Token di accesso',
    'account id': 'ID account',
    'account sid': 'SID account',
    address: 'Indirizzo',
    'admin api access token': 'Token di accesso per l’API Admin',
    'api access token': 'Token di accesso all’API',
    'data center': 'Data center',
    'account name': 'Nome dell’account',
    'access key': 'Chiave di accesso',
    'private key': 'Chiave privata',
    'private api key': 'Chiave API privata',
    'public key': 'Chiave pubblica',
    'app id': 'ID dell’app',
    'app api key': 'Chiave API dell’app',
    instance: 'Istanza',
    workspace: 'Area di lavoro',
    'european union': 'Unione europea',
    'api key': 'Chiave API',
    'api secret': 'Segreto API',
    'api token': 'Token API',
    'application key': 'Chiave dell’applicazione',
    'auth token': 'Token Auth',
    'bot token': 'Token del bot',
    'client credentials': 'ID e segreto client',
    'client id': 'ID client',
    'client identifier': 'ID client',
    'client secret': 'Segreto client',
    'company domain': 'Dominio aziendale',
    'consumer key': 'Chiave utente',
    'consumer secret': 'Segreto utente',
    domain: 'Dominio',
    'e-mail': 'Email',
    email: 'Email',
    'email address': 'Indirizzo email',
    'enterprise id': 'ID azienda',
    environment: 'Ambiente',
    host: 'Host',
    'key secret': 'Segreto della chiave',
    'key sid': 'SID della chiave',
    name: 'Nome',
    organization: 'Organizzazione',
    password: 'Password',
    'personal access token': 'Token di accesso personale',
    'personal api token': 'Token API personale',
    'personal token': 'Token personale',
    port: 'Porta',
    'project id': 'ID progetto',
    'public api token': 'Token dell’API pubblica',
    region: 'Regione',
    scopes: 'Autorizzazioni',
    secret: 'Segreto',
    'secret key': 'Chiave segreta',
    'secret or restricted key': 'Chiave segreta o con limitazioni',
    server: 'Server',
    'server api token': 'Token API del server',
    'server to server': 'Da server a server',
    'service account': 'Account di servizio',
    'service key': 'Chiave di servizio',
    'service region': 'Regione del servizio',
    site: 'Sito',
    store: 'Negozio',
    'store address': 'Indirizzo del negozio',
    subdomain: 'Sottodominio',
    tenant: 'Tenant',
    token: 'Token',
    url: 'URL',
    'user id': 'ID utente',
    'user name': 'Nome utente',
    username: 'Nome utente',
    australia: 'Australia',
    canada: 'Canada',
    china: 'Cina',
    europe: 'Europa',
    india: 'India',
    japan: 'Giappone',
    'saudi arabia': 'Arabia Saudita',
    'united arab emirates': 'Emirati Arabi Uniti',
    'united kingdom': 'Regno Unito',
    'united states': 'Stati Uniti',
    global: 'Globale',
    demo: 'Demo',
    live: 'Produzione',
    production: 'Produzione',
    sandbox: 'Sandbox',
    standard: 'Standard',
  },
} satisfies Translation
