import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

/** Japanese: what happened and what to do about it. */
export const jaFailures: Messages['failures'] = {
  access_denied: () =>
    'アクセスが拒否されました。何も共有されていません。間違いの場合は、最初からやり直してください。',
  authorization_request_failed: ({ workspace, tool }) =>
    t`${tool} がサインインの要求を受け付けませんでした。何も共有されていません。解決できるのは ${workspace} だけですので、お問い合わせください。`,
  cancelled: ({ tool }) =>
    t`${tool} が応答する前にキャンセルされました。何も接続されていません。いつでもやり直せます。`,
  credentials_rejected: ({ workspace, tool }) =>
    t`${tool} は入力内容を受け付けませんでした。内容を確認して、もう一度お試しください。解決しない場合は ${workspace} にお問い合わせください。`,
  egress_unavailable: ({ workspace, tool }) =>
    t`こちら側のネットワークの問題により、${tool} に接続できませんでした。数分後にもう一度お試しください。解決しない場合は ${workspace} にお問い合わせください。`,
  identity_mismatch: ({ tool }) =>
    t`前回とは別のアカウントで ${tool} にサインインしました。いったんサインアウトし、同じアカウントでやり直してください。`,
  insufficient_scope: ({ tool }) =>
    t`${tool} はこのキーを受け付けましたが、権限が足りません。${tool} で権限を追加するか、別のキーを使ってください。`,
  integration_failed: ({ workspace, tool }) =>
    t`こちら側のエラーにより、${tool} を接続できませんでした。もう一度お試しください。繰り返し発生する場合は ${workspace} にお問い合わせください。`,
  integration_timeout: ({ workspace, tool }) =>
    t`${tool} の接続に時間がかかりすぎました。もう一度お試しください。繰り返し発生する場合は ${workspace} にお問い合わせください。`,
  invalid_credentials: ({ workspace, tool }) =>
    t`${tool} はこのキーを受け付けませんでした。全体をコピーしたか確認するか、新しいキーを作成してください。解決しない場合は ${workspace} にお問い合わせください。`,
  link_expired: ({ workspace }) =>
    t`このリンクの有効期限が切れています。${workspace} に新しいリンクを依頼してください。`,
  link_full: ({ workspace }) =>
    t`このリンクは上限に達しました。${workspace} に新しいリンクを依頼してください。`,
  link_identifier_full: ({ workspace }) =>
    t`このリンクで許可された接続はすべて完了しています。${workspace} に新しいリンクを依頼してください。`,
  link_revoked: ({ workspace }) =>
    t`${workspace} がこのリンクを終了しました。新しいリンクを依頼してください。`,
  oauth_app_missing: ({ workspace, tool }) =>
    t`${tool} へのサインインはまだ設定されていません。${workspace} に設定を依頼してください。`,
  oauth_attempt_invalid: ({ workspace }) =>
    t`その間に ${workspace} が設定を変更しました。戻って最初からやり直してください。`,
  oauth_issuer_mismatch: ({ tool }) =>
    t`${tool} にサインインしたサイトとは別の場所から応答がありました。安全のため中止しました。最初からやり直してください。`,
  other_browser: ({ tool }) =>
    t`別のブラウザで ${tool} にサインインしました。安全のため中止しました。最初からやり直し、同じブラウザをお使いください。`,
  oauth_start_revoked: ({ workspace, tool }) =>
    t`${workspace} がこの要求を取り下げたため、${tool} は接続されませんでした。接続をご希望の場合は ${workspace} にお問い合わせください。`,
  provider_error: ({ tool }) => t`${tool} が現在応答していません。数分後にもう一度お試しください。`,
  provider_timeout: ({ tool }) =>
    t`${tool} の応答に時間がかかりすぎました。数分後にもう一度お試しください。`,
  rate_limited: ({ tool }) =>
    t`${tool} が現在リクエスト数を制限しています。1 分ほど待ってから、もう一度お試しください。`,
  sign_in_overdue: ({ tool }) =>
    t`${tool} へのサインインが 10 分以内に完了しませんでした。準備ができたら、最初からやり直してください。`,
  sign_in_rejected: ({ workspace, tool }) =>
    t`サインインできましたが、その後 ${tool} が許可したアクセスを拒否しました。最初からやり直してください。繰り返し発生する場合は ${workspace} にお問い合わせください。`,
  window_replaced: ({ tool }) =>
    t`${tool} が別のウィンドウでもう一度開かれました。このウィンドウを閉じて、もう一方で続けてください。`,
  wrong_host: ({ tool }) =>
    t`このアドレスに ${tool} はありません。アドレスを確認するか、サインインした状態でブラウザからコピーしてください。`,
  unknown: ({ workspace, tool }) =>
    t`${tool} から予期しない応答がありました。最初からやり直してください。繰り返し発生する場合は ${workspace} にお問い合わせください。`,
}
