import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

/** Spanish: what happened, and whose move it is. */
export const esFailures: Messages['failures'] = {
  access_denied: ({ tool }) =>
    t`Usted, o quien administra su ${tool}, dijo que no. No se comparte nada. Si fue un error, empiece de nuevo.`,
  authorization_request_failed: ({ tool, workspace }) =>
    t`${tool} no aceptó la solicitud para iniciar sesión. No se comparte nada. Avise a ${workspace}: solo allí pueden arreglarlo.`,
  cancelled: ({ tool }) =>
    t`Canceló antes de que ${tool} respondiera. No se ha conectado nada. Empiece de nuevo cuando quiera.`,
  credentials_rejected: ({ tool, workspace }) =>
    t`${tool} no aceptó lo que escribió. Revíselo o escriba algo nuevo. Si sigue igual, avise a ${workspace}.`,
  identity_mismatch: ({ tool }) =>
    t`Inició sesión en ${tool} como otra persona que antes. Cierre la sesión allí y empiece de nuevo con la misma persona.`,
  insufficient_scope: ({ tool }) =>
    t`${tool} conoce esta clave, pero permite demasiado poco. Dele más permisos en ${tool} o use otra.`,
  integration_failed: ({ tool, workspace }) =>
    t`La parte que habla con ${tool} falló. No es culpa suya; avise a ${workspace}.`,
  integration_timeout: ({ tool, workspace }) =>
    t`La parte que habla con ${tool} tardó demasiado. Inténtelo de nuevo. Si sigue igual, avise a ${workspace}.`,
  invalid_credentials: ({ tool }) =>
    t`${tool} no aceptó esta clave. Cópiela de nuevo entera o cree una nueva en ${tool}.`,
  link_expired: ({ workspace }) => t`El enlace ha caducado. Pida uno nuevo a ${workspace}.`,
  link_full: ({ workspace }) =>
    t`Todo lo que permite este enlace está conectado. Pida uno nuevo a ${workspace}.`,
  link_identifier_full: ({ workspace }) =>
    t`Ha conectado todo lo que permite este enlace. Pida uno nuevo a ${workspace}.`,
  link_revoked: ({ workspace }) => t`${workspace} ha cerrado el enlace. Pida uno nuevo.`,
  oauth_app_missing: ({ tool, workspace }) =>
    t`Todavía no se puede iniciar sesión en ${tool}. Le corresponde a ${workspace} prepararlo; avíseles.`,
  oauth_attempt_invalid: ({ workspace }) =>
    t`${workspace} ha cambiado algo mientras tanto. Vuelva atrás y empiece de nuevo.`,
  oauth_issuer_mismatch: ({ tool }) =>
    t`La respuesta no vino de donde inició sesión en ${tool}. Por su seguridad se detuvo. Empiece de nuevo.`,
  other_browser: ({ tool }) =>
    t`Inició sesión en ${tool} en otro navegador. Por su seguridad se detuvo. Empiece de nuevo y siga en un solo navegador.`,
  oauth_start_revoked: ({ tool, workspace }) =>
    t`${workspace} retiró su solicitud y ${tool} no se conectó. Pregunte allí si todavía lo desea.`,
  provider_error: ({ tool }) =>
    t`${tool} no puede responder en este momento. Espere unos minutos y empiece de nuevo.`,
  provider_timeout: ({ tool }) =>
    t`${tool} tardó demasiado en responder. Espere unos minutos y empiece de nuevo.`,
  rate_limited: ({ tool }) =>
    t`${tool} nos pide ir más despacio. Espere un minuto e inténtelo de nuevo.`,
  sign_in_overdue: ({ tool }) =>
    t`Nadie terminó de iniciar sesión en ${tool} en 10 minutos. Empiece de nuevo cuando tenga tiempo.`,
  sign_in_rejected: ({ tool, workspace }) =>
    t`${tool} le dejó entrar, pero no aceptó el acceso que dio. Empiece de nuevo. Si sigue igual, avise a ${workspace}.`,
  window_replaced: ({ tool }) =>
    t`Volvió a abrir la ventana de ${tool}; esta ya no cuenta. Ciérrela y siga en la otra.`,
  wrong_host: ({ tool }) =>
    t`En esta dirección no hay ningún ${tool}. Revísela y cópiela de su navegador con la sesión iniciada.`,
  unknown: ({ tool, workspace }) =>
    t`${tool} no respondió como debía. Empiece de nuevo. Si sigue igual, avise a ${workspace}.`,
}
