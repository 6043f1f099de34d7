import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('it')

/** Italian: one message per screen. */
export const itStates: Messages['states'] = {
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
}
