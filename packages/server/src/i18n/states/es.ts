import { getFormatters } from '../formatters.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('es')

/** Spanish: what is so, and what it means. */
export const esStates: Messages['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: 'Todavía no hay nada que conectar',
    body: t`${workspace} no ha añadido ninguna herramienta a este enlace. Pida a ${workspace} que añada una.`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'Aquí no hay nada que conectar',
    body: t`${workspace} pidió herramientas que aquí no se ofrecen. Avise a ${workspace}.`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'No hay dónde iniciar sesión',
    body: t`Este enlace solo admite herramientas en las que se inicia sesión y ${workspace} no ha preparado ninguna. Avise a ${workspace}.`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: t`Todavía no se puede iniciar sesión en ${tool}`,
    body: t`Le corresponde a ${workspace} prepararlo. Avise a ${workspace}.`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} quiere conectarse a su ${tool}`,
    body: t`Inicia sesión en ${host} y allí ve lo que comparte. ${workspace} nunca ve su contraseña.`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: t`${workspace} quiere volver a conectarse a su ${tool}`,
    body: t`Inicia sesión en ${host} y allí ve lo que comparte. ${workspace} nunca ve su contraseña.`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} añadió ${tool} por su cuenta y nadie más lo ha revisado. Continúe solo si conoce ${host}.`,
    body: t`Puede desconectar cuando quiera. Si no ha pedido esto, cierre la página: ${workspace} no recibe nada.`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: t`Termine de iniciar sesión en ${tool}`,
    body: t`${tool} está abierto en otra ventana. Cuando termine allí, esta página continuará sola.`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'Su navegador bloqueó la ventana',
    body: t`Continúe a ${tool} en esta misma página. Después volverá aquí.`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'Su navegador bloqueó la ventana',
    body: t`Continúe a ${tool} en una pestaña nueva. Al terminar, esta página continúa sola.`,
  }),
  windowClosed: ({ tool }) => ({
    title: '¿Sigue abierta la ventana?',
    body: t`Si es así, termine allí de iniciar sesión en ${tool}. Si no, ábrala de nuevo. Esta página continúa sola.`,
  }),
  checking: ({ tool }) => ({
    title: t`Comprobando con ${tool}`,
    body: 'Esto tarda unos segundos. Deje esta página abierta.',
  }),
  slow: ({ tool }) => ({
    title: t`${tool} tarda más de lo habitual`,
    body: t`Puede seguir esperando o intentarlo más tarde. Nada se conecta hasta que ${tool} responda.`,
  }),
  offline: () => ({
    title: 'No tiene conexión a Internet',
    body: 'Lo que ha escrito sigue aquí. Revise su conexión e inténtelo de nuevo.',
  }),
  connected: ({ tool, workspace }) => ({
    title: t`${tool} está conectado`,
    body: t`Puede cerrar esta página y volver a ${workspace}.`,
  }),
  connectedAs: ({ tool, workspace, account }) => ({
    title: t`${tool} está conectado`,
    body: t`Conectado como ${account}. Puede cerrar esta página y volver a ${workspace}.`,
  }),
  failed: ({ tool }) => ({
    title: t`${tool} no se ha conectado`,
    body: 'No se comparte nada.',
  }),
  expired: ({ workspace, at }) => ({
    title: t`Este enlace caducó el ${day(at)}`,
    body: t`Pida uno nuevo a ${workspace}. Lo que ya conectó sigue conectado.`,
  }),
  revoked: ({ workspace }) => ({
    title: t`${workspace} ha cerrado este enlace`,
    body: t`Pida uno nuevo a ${workspace}. Lo que ya conectó sigue conectado.`,
  }),
  unknownLink: () => ({
    title: 'No conocemos este enlace',
    body: 'Puede que falte una parte. Ábralo de nuevo desde donde lo recibió o pida uno nuevo.',
  }),
  full: ({ workspace }) => ({
    title: 'Este enlace está agotado',
    body: t`Todo lo que permite está conectado. Pida uno nuevo a ${workspace}.`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'Ha conectado todo lo que permite este enlace',
    body: t`Para conectar más, pida un enlace nuevo a ${workspace}.`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'Esto ya está terminado',
    body: t`Su respuesta sobre ${tool} ya había llegado y se usó una vez. Nada se hizo dos veces.`,
  }),
  stillRunning: ({ tool }) => ({
    title: t`Seguimos comprobando con ${tool}`,
    body: 'Ya lo ha enviado una vez. Sigue en marcha y nada se hace dos veces.',
  }),
  rateLimited: ({ seconds }) => ({
    title: 'Ha ido un poco rápido',
    body: t`Inténtelo de nuevo ${relativeTime(seconds)}. Lo que está conectado sigue conectado.`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: 'Demasiados intentos fallidos',
    body: t`Se han rechazado demasiados intentos desde aquí. Inténtelo de nuevo ${relativeTime(seconds)}. Lo que está conectado sigue conectado.`,
  }),
  notHere: () => ({
    title: 'Esta página no se puede mostrar aquí',
    body: 'El sitio que la rodea no está entre los que pueden mostrarla. Pida a sus responsables que lo añadan.',
  }),
  notOurs: () => ({
    title: 'Esto vino de otra página',
    body: 'Por su seguridad no se hizo nada. Abra el enlace que recibió y use su botón.',
  }),
  wrongAddress: () => ({
    title: 'Este enlace está mal formado',
    body: 'No indica bien para quién es, así que no se hizo nada. Avise a quien le dio este enlace.',
  }),
  notOffered: ({ tool, workspace }) => ({
    title: t`${tool} ya no se ofrece aquí`,
    body: t`${workspace} ha cambiado este enlace mientras tanto. No se ha conectado nada ni se ha guardado nada de lo que escribió.`,
  }),
  wayChanged: ({ tool, workspace }) => ({
    title: t`${tool} se conecta ahora de otra manera`,
    body: t`${workspace} lo ha cambiado mientras tanto. No se ha conectado nada ni se ha guardado nada de lo que escribió.`,
  }),
  redirectNotAllowed: () => ({
    title: 'Este enlace vuelve a una dirección no permitida',
    body: 'Esa dirección no está en la lista, así que no se hizo nada. Avise a quien le dio este enlace.',
  }),
  busy: () => ({
    title: 'No podemos continuar en este momento',
    body: 'El problema es nuestro y no se conectó nada. Espere un minuto y empiece de nuevo.',
  }),
  closed: () => ({
    title: 'Puede cerrar esta ventana',
    body: 'La página de la que viene continúa sola.',
  }),
  notKnown: () => ({
    title: 'Esta página ya no es válida',
    body: 'Ya se usó o han pasado 10 minutos. Vuelva a donde estaba y empiece de nuevo.',
  }),
  finished: () => ({
    title: 'Esto ya está terminado',
    body: 'Puede cerrar esta página. Donde estaba antes verá si está conectado.',
  }),
  otherBrowser: () => ({
    title: 'Esto se empezó en otro navegador',
    body: 'Por su seguridad se detuvo y no se conectó nada. Empiece de nuevo y siga en un solo navegador. Las cookies deben estar permitidas.',
  }),
}
