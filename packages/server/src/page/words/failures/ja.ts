import { say } from '../../phrase.ts'
import type { Words } from '../words.ts'

/** Japanese: what happened, and whose move it is. */
export const jaFailures: Words['failures'] = {
  access_denied: ({ tool }) =>
    say`お客様、または ${tool} の管理者が許可しませんでした。何も共有されていません。間違いの場合は、最初からやり直してください。`,
  authorization_request_failed: ({ tool, workspace }) =>
    say`${tool} がサインインの要求を受け付けませんでした。何も共有されていません。対応できるのは ${workspace} だけですので、お知らせください。`,
  cancelled: ({ tool }) =>
    say`${tool}からの応答の前に取り消されました。何も接続されていません。いつでもやり直せます。`,
  credentials_rejected: ({ tool, workspace }) =>
    say`${tool} は入力内容を受け付けませんでした。内容を確認するか、新しく入力してください。解決しない場合は ${workspace} にお知らせください。`,
  identity_mismatch: ({ tool }) =>
    say`${tool} に前回とは別の人としてサインインしています。いったんサインアウトし、同じ人でやり直してください。`,
  insufficient_scope: ({ tool }) =>
    say`${tool} はこのキーを認識しましたが、権限が足りません。${tool} で権限を追加するか、別のキーを使ってください。`,
  integration_failed: ({ tool, workspace }) =>
    say`${tool} とやり取りする部分が失敗しました。お客様に原因はありません。${workspace} にお知らせください。`,
  integration_timeout: ({ tool, workspace }) =>
    say`${tool} とやり取りする部分に時間がかかりすぎました。もう一度お試しください。解決しない場合は ${workspace} にお知らせください。`,
  invalid_credentials: ({ tool }) =>
    say`${tool} はこのキーを受け付けませんでした。もう一度全体をコピーするか、${tool} で新しいキーを作ってください。`,
  link_expired: ({ workspace }) =>
    say`リンクの期限が切れています。${workspace} に新しいリンクを依頼してください。`,
  link_full: ({ workspace }) =>
    say`このリンクで許可された接続はすべて済んでいます。${workspace} に新しいリンクを依頼してください。`,
  link_identifier_full: ({ workspace }) =>
    say`お客様がこのリンクで行える接続はすべて済んでいます。${workspace} に新しいリンクを依頼してください。`,
  link_revoked: ({ workspace }) =>
    say`${workspace} がリンクを終了しました。新しいリンクを依頼してください。`,
  oauth_app_missing: ({ tool, workspace }) =>
    say`${tool} へのサインインはまだ準備できていません。準備は ${workspace} が行います。お知らせください。`,
  oauth_attempt_invalid: ({ workspace }) =>
    say`${workspace} がその間に設定を変更しました。戻って最初からやり直してください。`,
  oauth_issuer_mismatch: ({ tool }) =>
    say`${tool} でサインインした場所とは別の場所から応答がありました。安全のため中止しました。最初からやり直してください。`,
  other_browser: ({ tool }) =>
    say`別のブラウザで ${tool} にサインインしました。安全のため中止しました。最初からやり直し、同じブラウザをお使いください。`,
  oauth_start_revoked: ({ tool, workspace }) =>
    say`${workspace} が要求を取り下げたため、${tool} は接続されませんでした。接続をご希望の場合は、お問い合わせください。`,
  provider_error: ({ tool }) =>
    say`${tool} は現在応答できません。数分待ってから、最初からやり直してください。`,
  provider_timeout: ({ tool }) =>
    say`${tool} の応答に時間がかかりすぎました。数分待ってから、最初からやり直してください。`,
  rate_limited: ({ tool }) =>
    say`${tool} から速度を落とすよう求められています。1 分ほど待ってから、もう一度お試しください。`,
  sign_in_overdue: ({ tool }) =>
    say`${tool} へのサインインが 10 分以内に完了しませんでした。ご都合のよいときに、最初からやり直してください。`,
  sign_in_rejected: ({ tool, workspace }) =>
    say`${tool} にサインインできましたが、与えられたアクセスが受け付けられませんでした。最初からやり直してください。解決しない場合は ${workspace} にお知らせください。`,
  window_replaced: ({ tool }) =>
    say`${tool}のウィンドウがもう一度開かれたため、このウィンドウは無効です。閉じて、もう一方で続けてください。`,
  wrong_host: ({ tool }) =>
    say`このアドレスに ${tool} はありません。アドレスを確認し、サインインした状態でブラウザからコピーしてください。`,
  unknown: ({ tool, workspace }) =>
    say`${tool} から想定どおりの応答がありませんでした。最初からやり直してください。解決しない場合は ${workspace} にお知らせください。`,
}
