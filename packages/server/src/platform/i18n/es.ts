import { getFormatters } from './language.ts'
import { t } from './localized-text.ts'
import type { Messages } from './messages.ts'
import { esPortal } from './portal/es.ts'
import { esStates } from './states/es.ts'

const { number, plural } = getFormatters('es')

/** Spanish, polite. */
export const es: Messages = {
  secured: 'Protegido por Linchpin',
  privacy: 'Privacidad',
  terms: 'Condiciones',
  thisApp: 'esta aplicación',
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
  states: esStates,
  portal: esPortal,
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
}
