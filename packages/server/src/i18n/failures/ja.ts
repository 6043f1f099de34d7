import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

/** Japanese: what happened, and whose move it is. */
export const jaFailures: Messages['failures'] = {
  access_denied: ({ tool }) =>
    t`お客様、または ${tool} の管理者が許可しませんでした。何も共有されていません。間違いの場合は、最初からやり直してください。`,
  authorization_request_failed: ({ tool, workspace }) =>
    t`${tool} がサインインの要求を受け付けませんでした。何も共有されていません。対応できるのは ${workspace} だけですので、お知らせください。`,
  cancelled: ({ tool }) =>
    t`${tool}からの応答の前に取り消されました。何も接続されていません。いつでもやり直せます。`,
  credentials_rejected: ({ tool, workspace }) =>
    t`${tool} は入力内容を受け付けませんでした。内容を確認するか、新しく入力してください。解決しない場合は ${workspace} にお知らせください。`,
  identity_mismatch: ({ tool }) =>
    t`${tool} に前回とは別の人としてサインインしています。いったんサインアウトし、同じ人でやり直してください。`,
  insufficient_scope: ({ tool }) =>
    t`${tool} はこのキーを認識しましたが、権限が足りません。${tool} で権限を追加するか、別のキーを使ってください。`,
  integration_failed: ({ tool, workspace }) =>
    t`${tool} とやり取りする部分が失敗しました。お客様に原因はありません。${workspace} にお知らせください。`,
  integration_timeout: ({ tool, workspace }) =>
    t`${tool} とやり取りする部分に時間がかかりすぎました。もう一度お試しください。解決しない場合は ${workspace} にお知らせください。`,
  invalid_credentials: ({ tool }) =>
    t`${tool} はこのキーを受け付けませんでした。もう一度全体をコピーするか、${tool} で新しいキーを作ってください。`,
  link_expired: ({ workspace }) =>
    t`リンクの期限が切れています。${workspace} に新しいリンクを依頼してください。`,
  link_full: ({ workspace }) =>
    t`このリンクで許可された接続はすべて済んでいます。${workspace} に新しいリンクを依頼してください。`,
  link_identifier_full: ({ workspace }) =>
    t`お客様がこのリンクで行える接続はすべて済んでいます。${workspace} に新しいリンクを依頼してください。`,
  link_revoked: ({ workspace }) =>
    t`${workspace} がリンクを終了しました。新しいリンクを依頼してください。`,
  oauth_app_missing: ({ tool, workspace }) =>
    t`${tool} へのサインインはまだ準備できていません。準備は ${workspace} が行います。お知らせください。`,
  oauth_attempt_invalid: ({ workspace }) =>
    t`${workspace} がその間に設定を変更しました。戻って最初からやり直してください。`,
  oauth_issuer_mismatch: ({ tool }) =>
    t`${tool} でサインインした場所とは別の場所から応答がありました。安全のため中止しました。最初からやり直してください。`,
  other_browser: ({ tool }) =>
    t`別のブラウザで ${tool} にサインインしました。安全のため中止しました。最初からやり直し、同じブラウザをお使いください。`,
  oauth_start_revoked: ({ tool, workspace }) =>
    t`${workspace} が要求を取り下げたため、${tool} は接続されませんでした。接続をご希望の場合は、お問い合わせください。`,
  provider_error: ({ tool }) =>
    t`${tool} は現在応答できません。数分待ってから、最初からやり直してください。`,
  provider_timeout: ({ tool }) =>
    t`${tool} の応答に時間がかかりすぎました。数分待ってから、最初からやり直してください。`,
  rate_limited: ({ tool }) =>
    t`${tool} から速度を落とすよう求められています。1 分ほど待ってから、もう一度お試しください。`,
  sign_in_overdue: ({ tool }) =>
    t`${tool} へのサインインが 10 分以内に完了しませんでした。ご都合のよいときに、最初からやり直してください。`,
  sign_in_rejected: ({ tool, workspace }) =>
    t`${tool} にサインインできましたが、与えられたアクセスが受け付けられませんでした。最初からやり直してください。解決しない場合は ${workspace} にお知らせください。`,
  window_replaced: ({ tool }) =>
    t`${tool}のウィンドウがもう一度開かれたため、このウィンドウは無効です。閉じて、もう一方で続けてください。`,
  wrong_host: ({ tool }) =>
    t`このアドレスに ${tool} はありません。アドレスを確認し、サインインした状態でブラウザからコピーしてください。`,
  unknown: ({ tool, workspace }) =>
    t`${tool} から想定どおりの応答がありませんでした。最初からやり直してください。解決しない場合は ${workspace} にお知らせください。`,
}
