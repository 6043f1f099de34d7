import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

/** German: what happened, and whose move it is. */
export const deFailures: Messages['failures'] = {
  access_denied: ({ tool }) =>
    t`Sie oder die Person, die Ihr ${tool} verwaltet, haben abgelehnt. Es wird nichts geteilt. Wenn das ein Versehen war, beginnen Sie neu.`,
  authorization_request_failed: ({ tool, workspace }) =>
    t`${tool} hat die Anfrage zu Ihrer Anmeldung nicht angenommen. Es wird nichts geteilt. Sagen Sie ${workspace} Bescheid: Nur dort lässt es sich beheben.`,
  cancelled: ({ tool }) =>
    t`Sie haben abgebrochen, bevor ${tool} geantwortet hat. Nichts ist verbunden. Beginnen Sie neu, wann Sie möchten.`,
  credentials_rejected: ({ tool, workspace }) =>
    t`${tool} hat Ihre Angaben nicht angenommen. Prüfen Sie sie, oder geben Sie neue ein. Wenn es so bleibt, sagen Sie ${workspace} Bescheid.`,
  identity_mismatch: ({ tool }) =>
    t`Sie haben sich bei ${tool} als jemand anderes angemeldet als zuvor. Melden Sie sich dort ab, und beginnen Sie als dieselbe Person neu.`,
  insufficient_scope: ({ tool }) =>
    t`${tool} kennt diesen Schlüssel, doch er erlaubt zu wenig. Geben Sie ihm in ${tool} mehr Rechte, oder verwenden Sie einen anderen.`,
  integration_failed: ({ tool, workspace }) =>
    t`Der Teil, der mit ${tool} spricht, hat versagt. Das liegt nicht an Ihnen; sagen Sie ${workspace} Bescheid.`,
  integration_timeout: ({ tool, workspace }) =>
    t`Der Teil, der mit ${tool} spricht, hat zu lange gebraucht. Versuchen Sie es noch einmal. Wenn es so bleibt, sagen Sie ${workspace} Bescheid.`,
  invalid_credentials: ({ tool }) =>
    t`${tool} hat diesen Schlüssel nicht angenommen. Kopieren Sie ihn noch einmal vollständig, oder erstellen Sie in ${tool} einen neuen.`,
  link_expired: ({ workspace }) =>
    t`Der Link ist abgelaufen. Bitten Sie ${workspace} um einen neuen.`,
  link_full: ({ workspace }) =>
    t`Alles, was dieser Link erlaubt, ist verbunden. Bitten Sie ${workspace} um einen neuen.`,
  link_identifier_full: ({ workspace }) =>
    t`Sie haben alles verbunden, was dieser Link erlaubt. Bitten Sie ${workspace} um einen neuen.`,
  link_revoked: ({ workspace }) =>
    t`${workspace} hat den Link geschlossen. Bitten Sie um einen neuen.`,
  oauth_app_missing: ({ tool, workspace }) =>
    t`Die Anmeldung bei ${tool} ist noch nicht eingerichtet. Das ist Sache von ${workspace}; sagen Sie dort Bescheid.`,
  oauth_attempt_invalid: ({ workspace }) =>
    t`${workspace} hat inzwischen etwas geändert. Gehen Sie zurück, und beginnen Sie neu.`,
  oauth_issuer_mismatch: ({ tool }) =>
    t`Die Antwort kam nicht von dort, wo Sie sich bei ${tool} angemeldet haben. Zu Ihrer Sicherheit wurde angehalten. Beginnen Sie neu.`,
  other_browser: ({ tool }) =>
    t`Sie haben sich bei ${tool} in einem anderen Browser angemeldet. Zu Ihrer Sicherheit wurde angehalten. Beginnen Sie neu, und bleiben Sie in einem Browser.`,
  oauth_start_revoked: ({ tool, workspace }) =>
    t`${workspace} hat die Anfrage zurückgezogen, und ${tool} wurde nicht verbunden. Fragen Sie dort nach, wenn Sie es noch möchten.`,
  provider_error: ({ tool }) =>
    t`${tool} kann gerade nicht antworten. Warten Sie einige Minuten, und beginnen Sie dann neu.`,
  provider_timeout: ({ tool }) =>
    t`${tool} hat zu lange nicht geantwortet. Warten Sie einige Minuten, und beginnen Sie dann neu.`,
  rate_limited: ({ tool }) =>
    t`${tool} bittet uns, langsamer zu machen. Warten Sie eine Minute, und versuchen Sie es dann noch einmal.`,
  sign_in_overdue: ({ tool }) =>
    t`Die Anmeldung bei ${tool} wurde nicht innerhalb von 10 Minuten abgeschlossen. Beginnen Sie neu, wenn Sie Zeit haben.`,
  sign_in_rejected: ({ tool, workspace }) =>
    t`${tool} hat Sie angemeldet, aber den erteilten Zugriff nicht angenommen. Beginnen Sie neu. Wenn es so bleibt, sagen Sie ${workspace} Bescheid.`,
  window_replaced: ({ tool }) =>
    t`Sie haben das Fenster zu ${tool} noch einmal geöffnet; dieses zählt nicht mehr. Schließen Sie es, und machen Sie im anderen weiter.`,
  wrong_host: ({ tool }) =>
    t`Unter dieser Adresse gibt es kein ${tool}. Prüfen Sie die Adresse, und kopieren Sie sie aus Ihrem Browser, während Sie angemeldet sind.`,
  unknown: ({ tool, workspace }) =>
    t`${tool} hat nicht mitgemacht wie erwartet. Beginnen Sie neu. Wenn es so bleibt, sagen Sie ${workspace} Bescheid.`,
}
