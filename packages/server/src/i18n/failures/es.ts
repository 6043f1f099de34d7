import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

/** Spanish: what happened and what to do about it. */
export const esFailures: Messages['failures'] = {
  access_denied: () =>
    'Se ha denegado el acceso. No se comparte nada. Si fue un error, empiece de nuevo.',
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
    t`${tool} ha aceptado esta clave, pero permite demasiado poco. Dele más permisos en ${tool} o use otra.`,
  integration_failed: ({ workspace, tool }) =>
    t`No se ha podido conectar ${tool} por un error nuestro. Inténtelo de nuevo; si vuelve a ocurrir, contacte con ${workspace}.`,
  integration_timeout: ({ workspace, tool }) =>
    t`La conexión de ${tool} ha tardado demasiado. Inténtelo de nuevo; si vuelve a ocurrir, contacte con ${workspace}.`,
  invalid_credentials: ({ workspace, tool }) =>
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
}
