import { createTextTag, getFormatters } from '../localized-text.ts'
import type { Translation } from '../messages.ts'

const LOCALE = 'es'
const THIS_APP = 'esta aplicación'
const { day, daysAgo, minute, number, plural, relativeTime } = getFormatters(LOCALE)
const t = createTextTag(THIS_APP)

/** Spanish, polite. */
export const es = {
  locale: LOCALE,
  direction: 'ltr',
  technicalTerms: /oauth|bundle|credencial|autenticaci|proveedor|!/i,
  secured: 'Protegido por Linchpin',
  privacy: 'Privacidad',
  terms: 'Condiciones',
  thisApp: THIS_APP,
  action: {
    back: 'Atrás',
    close: 'Cerrar',
    cancel: 'Cancelar',
    done: 'Listo',
    tryAgain: 'Intentar de nuevo',
    continue: 'Continuar',
    startAgain: 'Empezar de nuevo',
    checkAgain: 'Comprobar de nuevo',
    chooseAnother: 'Elegir otra herramienta',
    connectAnother: 'Conectar otra herramienta',
    updateConnection: 'Actualizar la conexión',
    addConnection: 'Añadir otra conexión',
    openAgain: 'Abrir la ventana de nuevo',
    connect: ({ tool }) => t`Conectar ${tool}`,
    continueTo: ({ tool }) => t`Continuar a ${tool}`,
    returnTo: ({ workspace }) => t`Volver a ${workspace}`,
    returning: ({ workspace }) => t`Volviendo a ${workspace}…`,
    stay: 'Quedarse en esta página',
  },
  picker: {
    title: ({ workspace }) => t`Conectar sus herramientas con ${workspace}`,
    body: 'Elija una herramienta. No se comparte nada hasta que la conecte.',
    search: 'Buscar herramientas',
    searchButton: 'Buscar',
    skip: 'Ir a las herramientas',
    clear: 'Mostrar todas las herramientas',
    categories: 'Categorías',
    all: 'Todas',
    resultCount: ({ count }) =>
      plural(count, {
        one: `${number(count)} herramienta`,
        other: `${number(count)} herramientas`,
      }),
    noMatch: ({ query }) => ({
      title: t`Ninguna herramienta coincide con «${query}»`,
      body: 'Revise la ortografía o pruebe con una palabra más corta.',
    }),
    connectedHere: 'Conectadas ahora mismo',
    connected: 'Conectado',
    custom: 'Propia',
    test: 'Prueba',
    category: {
      accounting: 'Contabilidad',
      ai: 'IA',
      analytics: 'Análisis',
      ats: 'Selección de personal',
      calendar: 'Calendario',
      crm: 'CRM',
      developer_tools: 'Desarrollo',
      documentation: 'Documentación',
      hris: 'Recursos humanos',
      identity: 'Identidad',
      mail: 'Correo',
      marketing: 'Marketing',
      messaging: 'Comunicación',
      other: 'Otras',
      payments: 'Pagos',
      project_management: 'Proyectos',
      social: 'Redes sociales',
      storage: 'Archivos',
      support: 'Atención al cliente',
      ticketing: 'Incidencias',
    },
  },
  auth: {
    title: ({ tool }) => t`¿Cómo quiere conectar ${tool}?`,
    body: 'Elija lo que le resulte más fácil. Puede desconectar cuando quiera.',
    signIn: ({ tool }) => t`Iniciar sesión en ${tool}`,
    signInLine: ({ host }) => t`Inicie sesión en ${host}; no hay nada que copiar.`,
    recommended: 'Recomendado',
    apiKey: 'Usar una clave de API',
    apiKeyLine: ({ tool }) => t`Copie una clave de su configuración en ${tool}.`,
    tokenLine: ({ tool }) => t`Copie un token de su configuración en ${tool}.`,
    token: 'Usar un token de acceso',
    password: 'Usar un nombre de usuario y una contraseña',
    passwordLine: 'Guardamos su contraseña cifrada.',
    fieldsLine: ({ label }) => t`Necesita: ${label}.`,
    scopes: ({ workspace }) => t`${workspace} podrá:`,
    newScopes: ({ workspace }) => t`Nuevo: ${workspace} también podrá:`,
    moreScopes: ({ count }) => `${number(count)} más`,
    other: ({ label }) => t`Usar ${label}`,
  },
  form: {
    title: ({ tool, workspace }) => t`Conectar ${tool} con ${workspace}`,
    reconnectTitle: ({ tool, workspace }) => t`Volver a conectar ${tool} con ${workspace}`,
    change: 'Cambiar',
    body: ({ workspace, tool }) =>
      t`${workspace} podrá hacer en ${tool} todo lo que permitan estos datos. Los comprobamos en ${tool} y los guardamos cifrados. Puede desconectar cuando quiera.`,
    bodyForKey: ({ workspace, tool }) =>
      t`${workspace} podrá hacer en ${tool} todo lo que permita esta clave. La comprobamos en ${tool} y la guardamos cifrada. Puede desconectar cuando quiera.`,
    custom: ({ workspace, tool }) =>
      t`${workspace} ha creado esta conexión con ${tool}; nadie la ha revisado. Continúe solo si confía en ella.`,
    optional: 'opcional',
    choose: 'Elegir',
    show: 'Mostrar',
    hide: 'Ocultar',
    showField: ({ label }) => t`Mostrar ${label}`,
    hideField: ({ label }) => t`Ocultar ${label}`,
    whereToFind: '¿Dónde lo encuentro?',
    newWindow: 'abre una ventana nueva',
    fieldErrors: ({ count }) =>
      plural(count, { one: 'Revise un campo', other: `Revise ${number(count)} campos` }),
    reenterSecrets:
      'Por su seguridad, esta página no conserva claves ni contraseñas. Escríbalas de nuevo.',
    sessionLost:
      'Esta página estuvo abierta demasiado tiempo o las cookies están bloqueadas. No se ha enviado nada. Revise el formulario y envíelo de nuevo.',
    missing: ({ label }) => t`Falta rellenar: ${label}`,
    notChosen: ({ label }) => t`Falta elegir: ${label}`,
    notEmail: 'Escriba una dirección de correo, como nombre@example.com',
    notUrl: 'Escriba una dirección completa, como https://example.com',
    notNumber: 'Escriba un número',
    notDate: 'Escriba una fecha',
    tooShort: ({ count }) =>
      plural(count, {
        one: 'Escriba al menos un carácter',
        other: `Escriba al menos ${number(count)} caracteres`,
      }),
    tooLong: ({ count }) =>
      plural(count, {
        one: 'Escriba un carácter como máximo',
        other: `Escriba ${number(count)} caracteres como máximo`,
      }),
    tooSmall: ({ count }) => `Escriba ${number(count)} o más`,
    tooLarge: ({ count }) => `Escriba ${number(count)} o menos`,
    patternMismatch: ({ label }) => t`Revise ${label}: no tiene el formato esperado`,
    example: ({ label }) => t`Por ejemplo ${label}`,
    linesHelp: 'Escriba un elemento por línea.',
    jsonHelp: 'Escríbalo en formato JSON.',
  },
  states: {
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
    chooseFacts: ({ tool }) => ({
      title: t`Elige qué conectar en ${tool}`,
      body: t`Tu acceso a ${tool} abarca más de una opción.`,
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
  },
  portal: {
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
    unchecked: 'Aún sin comprobar',
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
    agents: {
      link: 'Asistentes de IA',
      ofAccount: ({ tool, account }) => t`Asistentes de IA y ${tool}: ${account}`,
      ask: ({ tool, workspace }) => ({
        title: t`¿Qué pueden hacer los asistentes de IA en ${tool}?`,
        body: t`Los asistentes de IA de ${workspace} pueden usar esta conexión, dentro de los límites que fija ${workspace}. Puede restringirlos más.`,
      }),
      label: 'Los asistentes de IA pueden',
      access: {
        full: 'leer y modificar',
        read_only: 'solo leer',
        paused: 'no hacer nada',
      },
      save: 'Guardar',
      saved: 'Guardado. Se aplica desde ahora.',
      restricted: {
        read_only: 'Los asistentes de IA solo pueden leer',
        paused: 'En pausa para los asistentes de IA',
      },
      recent: 'Últimas solicitudes',
      none: 'Ninguna todavía.',
      read: 'Lectura',
      changed: 'Enviada',
      refused: 'No enviada',
      at: ({ at }) => minute(at),
      clients: 'Aplicaciones con acceso a sus conexiones',
      endAccess: 'Quitar el acceso',
      endAccessOf: ({ client }) => t`Quitar el acceso: ${client}`,
    },
  },
  failures: {
    access_denied: () =>
      'Se ha denegado el acceso. No se comparte nada. Si fue un error, empiece de nuevo.',
    admin_consent_granted: ({ tool }) =>
      t`Un administrador de ${tool} ha dado permiso, pero nadie ha iniciado sesión todavía. Empiece de nuevo para conectar su cuenta.`,
    already_connected: ({ tool }) =>
      t`Ya ha conectado ${tool} con esta cuenta. Empiece de nuevo para actualizar esa conexión o añadir otra.`,
    authorization_request_failed: ({ workspace, tool }) =>
      t`${tool} no ha aceptado la solicitud de inicio de sesión. No se comparte nada. Contacte con ${workspace}: solo allí pueden solucionarlo.`,
    cancelled: ({ tool }) =>
      t`Ha cancelado antes de que ${tool} respondiera. No se ha conectado nada. Empiece de nuevo cuando quiera.`,
    credentials_rejected: ({ workspace, tool }) =>
      t`${tool} no ha aceptado lo que ha escrito. Revíselo e inténtelo de nuevo. ¿Sigue sin funcionar? Contacte con ${workspace}.`,
    egress_unavailable: ({ workspace, tool }) =>
      t`No hemos podido acceder a ${tool} por un problema de red nuestro. Inténtelo de nuevo en unos minutos. ¿Sigue sin funcionar? Contacte con ${workspace}.`,
    identity_mismatch: ({ tool }) =>
      t`Ha iniciado sesión en ${tool} con una cuenta distinta de la anterior. Cierre la sesión allí y empiece de nuevo con la misma cuenta.`,
    insufficient_scope: ({ tool }) =>
      t`${tool} ha aceptado esta clave, pero no tiene suficientes permisos. Añádalos en ${tool} o use otra clave.`,
    integration_failed: ({ workspace, tool }) =>
      t`No se ha podido conectar ${tool} por un error nuestro. Inténtelo de nuevo; si vuelve a ocurrir, contacte con ${workspace}.`,
    integration_timeout: ({ workspace, tool }) =>
      t`La conexión de ${tool} ha tardado demasiado. Inténtelo de nuevo; si vuelve a ocurrir, contacte con ${workspace}.`,
    key_rejected: ({ workspace, tool }) =>
      t`${tool} no ha aceptado esta clave. Compruebe que la ha copiado entera o cree una nueva. ¿Sigue sin funcionar? Contacte con ${workspace}.`,
    link_expired: ({ workspace }) => t`Este enlace ha caducado. Pida uno nuevo a ${workspace}.`,
    link_full: ({ workspace }) =>
      t`Este enlace ha alcanzado su límite. Pida uno nuevo a ${workspace}.`,
    link_identifier_full: ({ workspace }) =>
      t`Ha conectado todo lo que permite este enlace. Pida uno nuevo a ${workspace}.`,
    link_revoked: ({ workspace }) => t`${workspace} ha cerrado este enlace. Pida uno nuevo.`,
    oauth_app_missing: ({ workspace, tool }) =>
      t`El inicio de sesión en ${tool} aún no está configurado. Pida a ${workspace} que lo configure.`,
    oauth_attempt_invalid: ({ workspace }) =>
      t`${workspace} ha cambiado algo entretanto. Vuelva atrás y empiece de nuevo.`,
    oauth_issuer_mismatch: ({ tool }) =>
      t`La respuesta no ha llegado del sitio donde inició sesión en ${tool}. Por su seguridad, lo hemos detenido. Empiece de nuevo.`,
    other_browser: ({ tool }) =>
      t`Ha iniciado sesión en ${tool} en otro navegador. Por su seguridad, lo hemos detenido. Empiece de nuevo en un solo navegador.`,
    oauth_start_revoked: ({ workspace, tool }) =>
      t`${workspace} ha retirado esta solicitud, por lo que ${tool} no se ha conectado. Contacte con ${workspace} si todavía quiere conectarlo.`,
    provider_error: ({ tool }) =>
      t`${tool} no responde en este momento. Inténtelo de nuevo en unos minutos.`,
    provider_timeout: ({ tool }) =>
      t`${tool} ha tardado demasiado en responder. Inténtelo de nuevo en unos minutos.`,
    rate_limited: ({ tool }) =>
      t`${tool} está limitando las solicitudes en este momento. Espere un minuto e inténtelo de nuevo.`,
    sign_in_overdue: ({ tool }) =>
      t`El inicio de sesión en ${tool} no se ha completado en 10 minutos. Empiece de nuevo cuando pueda.`,
    sign_in_rejected: ({ workspace, tool }) =>
      t`Ha iniciado sesión, pero ${tool} ha rechazado después el acceso concedido. Empiece de nuevo; si vuelve a ocurrir, contacte con ${workspace}.`,
    window_replaced: ({ tool }) =>
      t`Ha vuelto a abrir ${tool} en otra ventana. Cierre esta y continúe en la otra.`,
    wrong_host: ({ tool }) =>
      t`En esta dirección no hay ningún ${tool}. Revísela o cópiela de su navegador con la sesión iniciada.`,
    unknown: ({ workspace, tool }) =>
      t`${tool} ha dado una respuesta inesperada. Empiece de nuevo; si vuelve a ocurrir, contacte con ${workspace}.`,
  },
  setup: {
    start: ({ tool, workspace }) => ({
      title: t`Configurar ${tool} para ${workspace}`,
      body: t`Esta página es para quien administra ${tool} en su organización. Al continuar, funcionará solo en este navegador.`,
    }),
    form: ({ tool, workspace }) => ({
      title: t`Configurar ${tool} para ${workspace}`,
      body: t`${workspace} se conecta a ${tool} con una aplicación propia de usted. Créela en ${tool} e introduzca aquí sus datos.`,
    }),
    steps: ({ tool }) => t`En ${tool}`,
    createApp: ({ tool }) => t`Cree una aplicación en los ajustes para desarrolladores de ${tool}.`,
    enterAddress: 'Introduzca la URI de redirección de abajo como dirección permitida.',
    copyDetails: 'Copie el ID de cliente y el secreto de cliente.',
    redirectUri: 'URI de redirección',
    redirectUriHelp: 'Cópiela exactamente, sin barra al final.',
    scopes: 'Permisos que necesita la aplicación',
    details: 'Datos de la aplicación',
    clientId: 'ID de cliente',
    issuer: 'Emisor (issuer)',
    issuerHelp:
      'La dirección del servidor donde se inicia sesión, por ejemplo https://auth.example.com.',
    noIssuer: 'No se ha encontrado ningún servidor de inicio de sesión en esta dirección.',
    clientSecret: 'Secreto de cliente',
    clientSecretHelp: 'Déjelo vacío si la aplicación no tiene.',
    check: 'Comprobar y guardar',
    saveAnyway: 'Guardar de todos modos',
    note: ({ tool }) => t`El secreto se guarda cifrado y se envía solo a ${tool}.`,
    failed:
      'La comprobación encontró un problema y no se guardó nada. Corríjalo e introduzca el secreto de nuevo, o guarde de todos modos.',
    problems: {
      client: ({ tool }) => t`${tool} no conoce este ID de cliente, o el secreto es incorrecto.`,
      unreachable: ({ tool }) => t`${tool} no respondió a la comprobación.`,
      redirectUri: ({ tool }) =>
        t`${tool} no acepta la URI de redirección. Introduzca en la aplicación exactamente la de arriba.`,
      notAllowed: ({ workspace }) =>
        t`El secreto aún no puede enviarse a esta dirección. Pida a ${workspace} que la permita.`,
    },
    saved: ({ tool, workspace }) => ({
      title: t`${tool} está configurado`,
      body: t`A partir de ahora, su organización conecta ${tool} a ${workspace} con su aplicación. Puede conectarlo ahora mismo.`,
    }),
    connectNow: 'Conectar ahora',
  },
  agent: {
    start: ({ workspace }) => ({
      title: 'Un asistente necesita su respuesta',
      body: t`Un asistente que trabaja para usted quiere hacer algo que solo usted puede permitir. Continúe a ${workspace} para que sepamos que es usted; después verá de qué se trata.`,
    }),
    review: ({ workspace, tool }) => ({
      title: t`¿Permitir esto en ${tool}?`,
      body: t`Un asistente en ${workspace} quiere enviar exactamente esto a ${tool}. Se envía una sola vez, y solo si usted lo permite.`,
    }),
    as: ({ account }) => t`Con su conexión ${account}`,
    details: 'Detalles',
    content: 'Contenido',
    file: ({ count }) => `Un archivo de ${number(count)} bytes, que no podemos mostrar.`,
    allow: 'Permitir una vez',
    deny: 'No permitir',
    allowed: () => ({
      title: 'Permitido',
      body: 'El asistente puede hacerlo una vez, en los diez minutos siguientes a su pregunta. Puede cerrar esta página.',
    }),
    denied: () => ({
      title: 'No permitido',
      body: 'No se ha enviado nada. Puede cerrar esta página.',
    }),
    wrongPerson: ({ workspace }) => ({
      title: 'Esto es para otra persona',
      body: t`El asistente no le pregunta a usted, así que no se ha mostrado ni permitido nada. Si alguien le envió este enlace, avise a ${workspace}.`,
    }),
    ended: () => ({
      title: 'Esta pregunta ha terminado',
      body: 'Ya se respondió, tardó demasiado o se abrió en otro navegador. Pida al asistente que lo intente de nuevo.',
    }),
  },
  consent: {
    ask: ({ client, workspace }) => ({
      title: t`¿Permitir que ${client} use sus conexiones?`,
      body: t`${client} no forma parte de ${workspace}. Si lo permite, podrá usar lo que ha conectado a ${workspace}, ahora y más adelante, hasta que ${workspace} lo termine.`,
    }),
    from: ({ host }) => t`Lo que dice de sí misma está publicado en ${host}.`,
    unverified: 'Se ha registrado por su cuenta. Nadie ha comprobado su nombre.',
    to: ({ host }) => t`Su respuesta se envía a ${host}.`,
    local:
      'Su respuesta se envía a un programa de este dispositivo. Permítalo solo si acaba de empezar a iniciar sesión en él.',
    accounts: ({ workspace }) => t`Sus conexiones a ${workspace}`,
    noAccounts: 'Todavía ninguna',
    more: 'y otras',
    allowRead: 'Permitir lectura',
    allowWrite: 'Permitir lectura y cambios',
    invalid: {
      title: 'Este inicio de sesión no puede continuar',
      body: 'No se ha permitido nada. Vuelva a su aplicación y empiece de nuevo. Si esta página aparece otra vez, sus desarrolladores necesitan estos datos:',
    },
  },
  sandbox: {
    title: 'Iniciar sesión en Acme Sandbox',
    body: 'Una herramienta de prueba. Sus personas y tickets son ficticios, y nada sale de este servicio.',
    access: 'Linchpin solicita leer y crear tickets.',
    as: ({ account }) => `Continuar como ${account}`,
    deny: 'Rechazar',
    invalid: {
      title: 'Este inicio de sesión no puede continuar',
      body: 'La solicitud está incompleta. Vuelva atrás y empiece de nuevo.',
    },
  },
  host: {
    title: 'Conectar una herramienta',
    loading: 'Cargando',
    failed: 'No se pudo abrir. Cierre e inténtelo de nuevo en un momento.',
    notAllowed: 'No se puede abrir aquí. Pida a la empresa que gestiona este sitio que lo permita.',
    close: 'Cerrar',
  },
  labels: {
    'access token': 'Token de acceso',
    'account id': 'ID de la cuenta',
    'account sid': 'SID de la cuenta',
    address: 'Dirección',
    'admin api access token': 'Token de acceso a la API Admin',
    'api access token': 'Token de acceso a la API',
    'data center': 'Centro de datos',
    'account name': 'Nombre de la cuenta',
    'access key': 'Clave de acceso',
    'private key': 'Clave privada',
    'private api key': 'Clave de API privada',
    'public key': 'Clave pública',
    'app id': 'ID de la aplicación',
    'app api key': 'Clave de API de la aplicación',
    instance: 'Instancia',
    workspace: 'Espacio de trabajo',
    'european union': 'Unión Europea',
    'api key': 'Clave de API',
    'api secret': 'Secreto de API',
    'api token': 'Token de API',
    'application key': 'Clave de aplicación',
    'auth token': 'Token Auth',
    'bot token': 'Token del bot',
    'client credentials': 'ID y secreto de cliente',
    'client id': 'ID de cliente',
    'client identifier': 'ID de cliente',
    'client secret': 'Secreto de cliente',
    'company domain': 'Dominio de la empresa',
    'consumer key': 'Clave de cliente',
    'consumer secret': 'Clave secreta de cliente',
    domain: 'Dominio',
    'e-mail': 'Correo electrónico',
    email: 'Correo electrónico',
    'email address': 'Correo electrónico',
    'enterprise id': 'ID de la empresa',
    environment: 'Entorno',
    host: 'Host',
    'key secret': 'Secreto de la clave',
    'key sid': 'SID de la clave',
    name: 'Nombre',
    organization: 'Organización',
    password: 'Contraseña',
    'personal access token': 'Token de acceso personal',
    'personal api token': 'Token de API personal',
    'personal token': 'Token personal',
    port: 'Puerto',
    'project id': 'ID del proyecto',
    'public api token': 'Token de la API pública',
    region: 'Región',
    scopes: 'Permisos',
    secret: 'Secreto',
    'secret key': 'Clave secreta',
    'secret or restricted key': 'Clave secreta o restringida',
    server: 'Servidor',
    'server api token': 'Token de API del servidor',
    'server to server': 'Servidor a servidor',
    'service account': 'Cuenta de servicio',
    'service key': 'Clave de servicio',
    'service region': 'Región del servicio',
    site: 'Sitio',
    store: 'Tienda',
    'store address': 'Dirección de la tienda',
    subdomain: 'Subdominio',
    tenant: 'Inquilino',
    token: 'Token',
    url: 'URL',
    'user id': 'ID de usuario',
    'user name': 'Nombre de usuario',
    username: 'Nombre de usuario',
    australia: 'Australia',
    canada: 'Canadá',
    china: 'China',
    europe: 'Europa',
    india: 'India',
    japan: 'Japón',
    'saudi arabia': 'Arabia Saudí',
    'united arab emirates': 'Emiratos Árabes Unidos',
    'united kingdom': 'Reino Unido',
    'united states': 'Estados Unidos',
    global: 'Global',
    demo: 'Demo',
    live: 'Producción',
    production: 'Producción',
    sandbox: 'Sandbox',
    standard: 'Estándar',
  },
} satisfies Translation
