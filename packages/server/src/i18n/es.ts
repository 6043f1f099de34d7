import { esFailures } from './failures/es.ts'
import { getFormatters } from './formatters.ts'
import { t } from './localized-text.ts'
import type { Messages } from './messages.ts'
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
    startAgain: 'Empezar de nuevo',
    checkAgain: 'Comprobar de nuevo',
    chooseAnother: 'Elegir otra herramienta',
    connectAnother: 'Conectar otra herramienta',
    openAgain: 'Abrir la ventana de nuevo',
    connect: ({ tool }) => t`Conectar ${tool}`,
    continueTo: ({ tool }) => t`Continuar a ${tool}`,
    returnTo: ({ workspace }) => t`Volver a ${workspace}`,
  },
  picker: {
    title: ({ workspace }) => t`Conectar sus herramientas con ${workspace}`,
    body: 'Elija una herramienta. No se comparte nada hasta que la conecte.',
    search: 'Buscar herramientas',
    searchButton: 'Buscar',
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
    category: {
      accounting: 'Contabilidad',
      ai: 'IA',
      analytics: 'Análisis',
      ats: 'Selección de personal',
      calendar: 'Calendario',
      crm: 'Clientes',
      developer_tools: 'Desarrollo',
      documentation: 'Documentación',
      hris: 'Personal',
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
    apiKeyLine: ({ tool }) => t`Copia una clave de su configuración en ${tool}.`,
    token: 'Usar un token de acceso',
    password: 'Usar un nombre de usuario y una contraseña',
    passwordLine: 'Guardamos la contraseña cifrada.',
    other: ({ label }) => t`Usar ${label}`,
  },
  form: {
    title: ({ tool, workspace }) => t`Conectar ${tool} con ${workspace}`,
    body: ({ workspace, tool }) =>
      t`${workspace} podrá hacer en ${tool} todo lo que permitan estos datos. Los comprobamos con ${tool} y los guardamos cifrados. Puede desconectar cuando quiera.`,
    bodyForKey: ({ workspace, tool }) =>
      t`${workspace} podrá hacer en ${tool} todo lo que permita esta clave. La comprobamos con ${tool} y la guardamos cifrada. Puede desconectar cuando quiera.`,
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
  failures: esFailures,
}
