import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { PortalMessages } from '../portal-messages.ts'

const { day, daysAgo, number, plural } = getFormatters('es')

/** Spanish. */
export const esPortal: PortalMessages = {
  start: ({ workspace }) => ({
    title: t`Sus conexiones con ${workspace}`,
    body: t`En la página siguiente verá lo que ha conectado con ${workspace}. Continúe solo si viene de ${workspace}; después, esta página funcionará solo en este navegador.`,
  }),
  title: ({ workspace }) => t`Sus conexiones con ${workspace}`,
  body: 'Desconecte lo que ya no necesite.',
  attention: ({ count, total }) =>
    plural(count, {
      one: `${number(count)} de ${number(total)} conexiones requiere su atención`,
      other: `${number(count)} de ${number(total)} conexiones requieren su atención`,
    }),
  none: ({ workspace }) => ({
    title: 'No hay nada conectado',
    body: t`Las herramientas que conecte con ${workspace} aparecerán aquí.`,
  }),
  signedInAs: ({ account }) => t`Sesión de ${account}`,
  connectedOn: ({ at }) => `Conectado el ${day(at)}`,
  lastUsedOn: ({ at }) => `Último uso: ${day(at)}`,
  lastUsedAgo: ({ count }) => `Último uso: ${daysAgo(count)}`,
  neverUsed: 'Aún sin usar',
  active: 'Funciona',
  needsReauth: 'Ha dejado de funcionar. Conéctelo de nuevo.',
  error: ({ workspace }) => t`No funciona en este momento. ${workspace} tiene que solucionarlo.`,
  pending: ({ workspace }) => t`A la espera de que ${workspace} lo confirme`,
  more: ({ tool, account }) => t`Más acciones para ${tool}: ${account}`,
  disconnect: 'Desconectar',
  disconnectAccount: ({ tool, account }) => t`Desconectar ${tool}: ${account}`,
  reconnect: 'Reconectar',
  reconnectAccount: ({ tool, account }) => t`Reconectar ${tool}: ${account}`,
  connectFirst: 'Conectar una herramienta',
  showMore: 'Mostrar más',
  yourConnections: 'Sus conexiones',
  ask: ({ tool, workspace }) => ({
    title: t`¿Desconectar ${tool}?`,
    body: t`${workspace} ya no podrá usar esta conexión, y se borrará lo que hemos guardado. Puede volver a conectar ${tool} cuando quiera.`,
  }),
  confirm: ({ tool }) => t`Desconectar ${tool}`,
  keep: 'Mantener la conexión',
  disconnected: ({ tool }) => t`${tool} está desconectado`,
  revoked: ({ tool }) =>
    t`${tool} ha confirmado que revocó el acceso, y hemos borrado lo que guardábamos.`,
  revocationUnsupported: ({ tool }) =>
    t`Hemos borrado lo que guardábamos. ${tool} no nos permite revocar el acceso; puede hacerlo en su configuración de ${tool}.`,
  revocationFailed: ({ tool }) =>
    t`Hemos borrado lo que guardábamos, pero ${tool} no confirmó que revocó el acceso. Para mayor seguridad, elimínelo en su configuración de ${tool}.`,
  grantShared: ({ tool }) =>
    t`Hemos borrado lo que guardábamos. Otra conexión usa el mismo acceso a ${tool}; se revocará cuando desconecte también esa.`,
  nothingToRevoke: ({ tool }) =>
    t`Hemos borrado lo que guardábamos. Si creó una clave para esto, elimínela en su configuración de ${tool}.`,
  gone: () => ({
    title: 'Esta conexión ya no está en la lista',
    body: 'Puede que ya se haya desconectado. No se ha cambiado nada.',
  }),
}
