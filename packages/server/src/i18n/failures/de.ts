import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

/** German: what happened and what to do about it. */
export const deFailures: Messages['failures'] = {
  access_denied: () =>
    'Der Zugriff wurde abgelehnt. Es wird nichts geteilt. Wenn das ein Versehen war, beginnen Sie neu.',
  authorization_request_failed: ({ workspace, tool }) =>
    t`${tool} hat die Anfrage zur Anmeldung nicht angenommen. Es wird nichts geteilt. Wenden Sie sich an ${workspace}: Nur dort lässt sich das beheben.`,
  cancelled: ({ tool }) =>
    t`Sie haben abgebrochen, bevor ${tool} geantwortet hat. Nichts ist verbunden. Sie können jederzeit neu beginnen.`,
  credentials_rejected: ({ workspace, tool }) =>
    t`${tool} hat Ihre Eingaben nicht angenommen. Prüfen Sie sie, und versuchen Sie es noch einmal. Klappt es weiterhin nicht? Wenden Sie sich an ${workspace}.`,
  egress_unavailable: ({ workspace, tool }) =>
    t`Wir konnten ${tool} wegen eines Netzwerkproblems bei uns nicht erreichen. Versuchen Sie es in einigen Minuten noch einmal. Klappt es weiterhin nicht? Wenden Sie sich an ${workspace}.`,
  identity_mismatch: ({ tool }) =>
    t`Sie haben sich bei ${tool} mit einem anderen Konto angemeldet als zuvor. Melden Sie sich dort ab, und beginnen Sie mit demselben Konto neu.`,
  insufficient_scope: ({ tool }) =>
    t`${tool} hat diesen Schlüssel angenommen, aber er erlaubt zu wenig. Geben Sie ihm in ${tool} mehr Rechte, oder verwenden Sie einen anderen.`,
  integration_failed: ({ workspace, tool }) =>
    t`${tool} konnte wegen eines Fehlers bei uns nicht verbunden werden. Versuchen Sie es noch einmal. Wenn es wieder passiert, wenden Sie sich an ${workspace}.`,
  integration_timeout: ({ workspace, tool }) =>
    t`Das Verbinden von ${tool} hat zu lange gedauert. Versuchen Sie es noch einmal. Wenn es wieder passiert, wenden Sie sich an ${workspace}.`,
  invalid_credentials: ({ workspace, tool }) =>
    t`${tool} hat diesen Schlüssel nicht angenommen. Prüfen Sie, ob Sie ihn vollständig kopiert haben, oder erstellen Sie einen neuen. Klappt es nicht? Wenden Sie sich an ${workspace}.`,
  link_expired: ({ workspace }) =>
    t`Dieser Link ist abgelaufen. Bitten Sie ${workspace} um einen neuen.`,
  link_full: ({ workspace }) =>
    t`Dieser Link hat sein Limit erreicht. Bitten Sie ${workspace} um einen neuen.`,
  link_identifier_full: ({ workspace }) =>
    t`Sie haben alles verbunden, was dieser Link erlaubt. Bitten Sie ${workspace} um einen neuen.`,
  link_revoked: ({ workspace }) =>
    t`${workspace} hat diesen Link geschlossen. Bitten Sie um einen neuen.`,
  oauth_app_missing: ({ workspace, tool }) =>
    t`Die Anmeldung bei ${tool} ist noch nicht eingerichtet. Bitten Sie ${workspace}, sie einzurichten.`,
  oauth_attempt_invalid: ({ workspace }) =>
    t`${workspace} hat inzwischen etwas geändert. Gehen Sie zurück, und beginnen Sie neu.`,
  oauth_issuer_mismatch: ({ tool }) =>
    t`Die Antwort kam nicht von der Seite, auf der Sie sich bei ${tool} angemeldet haben. Zu Ihrer Sicherheit haben wir abgebrochen. Beginnen Sie neu.`,
  other_browser: ({ tool }) =>
    t`Sie haben sich bei ${tool} in einem anderen Browser angemeldet. Zu Ihrer Sicherheit haben wir abgebrochen. Beginnen Sie neu, und bleiben Sie in einem Browser.`,
  oauth_start_revoked: ({ workspace, tool }) =>
    t`${workspace} hat diese Anfrage zurückgezogen, daher wurde ${tool} nicht verbunden. Wenden Sie sich an ${workspace}, wenn Sie es noch verbinden möchten.`,
  provider_error: ({ tool }) =>
    t`${tool} antwortet gerade nicht. Versuchen Sie es in einigen Minuten noch einmal.`,
  provider_timeout: ({ tool }) =>
    t`${tool} hat zu lange nicht geantwortet. Versuchen Sie es in einigen Minuten noch einmal.`,
  rate_limited: ({ tool }) =>
    t`${tool} begrenzt gerade die Zahl der Anfragen. Warten Sie eine Minute, und versuchen Sie es dann noch einmal.`,
  sign_in_overdue: ({ tool }) =>
    t`Die Anmeldung bei ${tool} wurde nicht innerhalb von 10 Minuten abgeschlossen. Beginnen Sie neu, wenn Sie so weit sind.`,
  sign_in_rejected: ({ workspace, tool }) =>
    t`Sie haben sich angemeldet, aber ${tool} hat den gerade erteilten Zugriff abgelehnt. Beginnen Sie neu. Wenn es wieder passiert, wenden Sie sich an ${workspace}.`,
  window_replaced: ({ tool }) =>
    t`Sie haben ${tool} in einem anderen Fenster noch einmal geöffnet. Schließen Sie dieses, und machen Sie dort weiter.`,
  wrong_host: ({ tool }) =>
    t`Unter dieser Adresse gibt es kein ${tool}. Prüfen Sie sie, oder kopieren Sie sie aus Ihrem Browser, während Sie angemeldet sind.`,
  unknown: ({ workspace, tool }) =>
    t`${tool} hat unerwartet geantwortet. Beginnen Sie neu. Wenn es wieder passiert, wenden Sie sich an ${workspace}.`,
}
