import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { PortalMessages } from '../portal-messages.ts'

const { day, daysAgo, number, plural } = getFormatters('it')

/** Italian. */
export const itPortal: PortalMessages = {
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
}
