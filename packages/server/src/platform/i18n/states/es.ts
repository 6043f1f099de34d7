import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('es')

/** Spanish: one message per screen. */
export const esStates: Messages['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: 'Todavía no hay nada que conectar',
    body: t`${workspace} aún no ha añadido ninguna herramienta a este enlace. Pida a ${workspace} que añada una.`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'Aquí no hay nada que conectar',
    body: t`Este enlace pide herramientas que ${workspace} no ofrece. Contacte con ${workspace}.`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'No hay dónde iniciar sesión',
    body: t`Este enlace solo admite herramientas en las que se inicia sesión y ${workspace} no ha configurado ninguna. Contacte con ${workspace}.`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: t`${tool} aún no está configurado`,
    body: t`${workspace} debe configurar el inicio de sesión en ${tool} antes de que pueda conectarlo. Contacte con ${workspace}.`,
  }),
  appRemoved: ({ workspace, tool }) => ({
    title: t`${tool} no se puede volver a conectar ahora`,
    body: t`Antes, ${workspace} debe volver a configurar el inicio de sesión en ${tool}. Su conexión no ha cambiado. Contacte con ${workspace}.`,
  }),
  toolGone: ({ workspace }) => ({
    title: 'Esta herramienta ya no está disponible aquí',
    body: t`${workspace} ya no la ofrece. No se ha cambiado nada. Contacte con ${workspace} si todavía la necesita.`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: t`Conectar ${tool} con ${workspace}`,
    body: t`Iniciará sesión en ${host}, donde verá lo que comparte. ${workspace} nunca ve su contraseña.`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: t`Volver a conectar ${tool} con ${workspace}`,
    body: t`Iniciará sesión en ${host}, donde verá lo que comparte. ${workspace} nunca ve su contraseña.`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} ha creado esta conexión con ${tool}; nadie la ha revisado. Continúe solo si conoce ${host}.`,
    body: t`Puede desconectar cuando quiera. Si no ha pedido esto, cierre la página: no se comparte nada con ${workspace}.`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: t`Termine de iniciar sesión en ${tool}`,
    body: t`${tool} está abierto en otra ventana. Cuando termine allí, esta página se actualizará automáticamente.`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'Su navegador ha bloqueado la ventana',
    body: t`Continúe a ${tool} en esta misma página. Después volverá aquí.`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'Su navegador ha bloqueado la ventana',
    body: t`Continúe a ${tool} en una pestaña nueva. Al terminar, esta página se actualizará automáticamente.`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'Inicio de sesión sin terminar',
    body: t`Parece que la ventana para iniciar sesión en ${tool} está cerrada. Inténtelo de nuevo o, si sigue abierta, termine allí: esta página se actualizará automáticamente.`,
  }),
  checking: ({ tool }) => ({
    title: t`Comprobando los datos en ${tool}`,
    body: 'Esto tarda unos segundos. Deje esta página abierta.',
  }),
  slow: ({ tool }) => ({
    title: t`${tool} está tardando más de lo habitual`,
    body: t`Puede seguir esperando o intentarlo más tarde. No se conecta nada hasta que ${tool} responda.`,
  }),
  offline: () => ({
    title: 'No tiene conexión a Internet',
    body: 'Lo que ha escrito sigue aquí. Revise su conexión e inténtelo de nuevo.',
  }),
  connected: ({ workspace, tool }) => ({
    title: t`${tool} está conectado`,
    body: t`Puede cerrar esta página y volver a ${workspace}.`,
  }),
  connectedAs: ({ workspace, tool, account }) => ({
    title: t`${tool} está conectado`,
    body: t`Conectado como ${account}. Puede cerrar esta página y volver a ${workspace}.`,
  }),
  failed: ({ tool }) => ({
    title: t`${tool} no se ha conectado`,
    body: 'No se comparte nada.',
  }),
  alreadyConnected: ({ tool, account }) => ({
    title: t`Ya ha conectado ${account}`,
    body: t`Actualice la conexión existente con ${tool} o añada otra. Hasta que elija, no cambia nada.`,
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
    title: 'No encontramos este enlace',
    body: 'Puede que falte una parte. Ábralo de nuevo desde donde lo recibió o pida uno nuevo.',
  }),
  full: ({ workspace }) => ({
    title: 'Este enlace ha alcanzado su límite',
    body: t`Todo lo que permite ya está conectado. Pida uno nuevo a ${workspace}.`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'Ha conectado todo lo que permite este enlace',
    body: t`Para conectar más, pida un enlace nuevo a ${workspace}.`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'Esto ya está hecho',
    body: t`Ya había enviado este formulario de ${tool}. No se ha hecho nada dos veces.`,
  }),
  stillRunning: ({ tool }) => ({
    title: t`Seguimos comprobándolo en ${tool}`,
    body: 'Ya había enviado este formulario. La comprobación sigue en marcha y no se hace nada dos veces.',
  }),
  rateLimited: ({ seconds }) => ({
    title: 'Demasiadas solicitudes',
    body: t`Inténtelo de nuevo ${relativeTime(seconds)}. Lo que ya está conectado sigue conectado.`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: 'Demasiados intentos fallidos',
    body: t`Se han rechazado demasiados intentos desde su navegador o su red. Inténtelo de nuevo ${relativeTime(seconds)}. Lo que ya está conectado sigue conectado.`,
  }),
  notHere: () => ({
    title: 'Esta página no se puede mostrar aquí',
    body: 'Este sitio no está en la lista de los que pueden mostrarla. Pida a la empresa que lo gestiona que lo añada.',
  }),
  notOurs: () => ({
    title: 'No se ha podido enviar este formulario',
    body: 'Por su seguridad, solo aceptamos formularios de esta misma página, así que no se ha hecho nada. Abra de nuevo su enlace y envíe el formulario desde allí.',
  }),
  sessionStart: ({ workspace }) => ({
    title: t`${workspace} le pide que conecte una herramienta`,
    body: t`En la página siguiente elegirá qué conectar. Continúe solo si viene de ${workspace}; después, la página funcionará únicamente en este navegador.`,
  }),
  sessionStartOne: ({ workspace, tool }) => ({
    title: t`Conectar ${tool} con ${workspace}`,
    body: t`Continúe solo si viene de ${workspace}; después, la página funcionará únicamente en este navegador.`,
  }),
  sessionRefused: () => ({
    title: 'Esta página no se puede usar',
    body: 'Funciona una vez, en un solo navegador y por tiempo limitado. Vuelva al lugar de donde vino y empiece de nuevo.',
  }),
  sessionUsed: ({ workspace }) => ({
    title: 'Este enlace ya se ha usado',
    body: t`Ya ha servido para su propósito. Para conectar algo más, pida uno nuevo a ${workspace}.`,
  }),
  sessionElsewhere: ({ workspace }) => ({
    title: 'Este enlace se abrió en otro navegador',
    body: t`Por su seguridad, solo funciona en el primer navegador que lo abrió. Continúe allí o pida uno nuevo a ${workspace}.`,
  }),
  sessionRequired: () => ({
    title: 'Esta página requiere una invitación',
    body: 'Vuelva a la aplicación que le envió aquí y empiece desde allí.',
  }),
  wrongAddress: () => ({
    title: 'Este enlace no es válido',
    body: 'No indica correctamente para quién es, así que no se ha hecho nada. Contacte con la empresa que se lo envió.',
  }),
  notOffered: ({ workspace, tool }) => ({
    title: t`${tool} ya no está disponible aquí`,
    body: t`${workspace} ha cambiado este enlace. No se ha conectado nada ni hemos guardado nada de lo que escribió.`,
  }),
  wayChanged: ({ workspace, tool }) => ({
    title: t`${tool} se conecta ahora de otra manera`,
    body: t`${workspace} ha cambiado esta conexión. No se ha conectado nada ni hemos guardado nada de lo que escribió.`,
  }),
  redirectNotAllowed: () => ({
    title: 'Este enlace vuelve a una dirección no permitida',
    body: 'La empresa que se lo envió no ha permitido esta dirección, así que no se ha hecho nada. Contacte con esa empresa.',
  }),
  busy: () => ({
    title: 'No podemos continuar en este momento',
    body: 'El problema es nuestro y no se ha conectado nada. Espere un minuto y empiece de nuevo.',
  }),
  closed: () => ({
    title: 'Puede cerrar esta ventana',
    body: 'La página de la que viene se actualizará automáticamente.',
  }),
  notKnown: () => ({
    title: 'Esta página ha caducado',
    body: 'Ya se ha usado o han pasado 10 minutos. Vuelva a donde estaba y empiece de nuevo.',
  }),
  finished: () => ({
    title: 'Esto ya está hecho',
    body: 'Puede cerrar esta página. La página de la que viene muestra si está conectado.',
  }),
  adminConsent: () => ({
    title: 'Se ha concedido el permiso del administrador',
    body: 'Aún no se ha conectado nada. Vuelva a la aplicación que quiere conectar y empiece desde allí.',
  }),
  startedElsewhere: () => ({
    title: 'Este inicio de sesión debe empezar en otro lugar',
    body: 'La aplicación que quiere conectar no lo ha iniciado, así que no se ha conectado nada. Abra esa aplicación y conéctese desde allí.',
  }),
  otherBrowser: () => ({
    title: 'Esto se empezó en otro navegador',
    body: 'Por su seguridad, lo hemos detenido y no se ha conectado nada. Empiece de nuevo en un solo navegador. Las cookies deben estar permitidas.',
  }),
}
