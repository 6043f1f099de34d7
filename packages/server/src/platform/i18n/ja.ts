import { getFormatters } from './language.ts'
import { t } from './localized-text.ts'
import type { Messages } from './messages.ts'
import { jaPortal } from './portal/ja.ts'
import { jaStates } from './states/ja.ts'

const { number } = getFormatters('ja')

/** Japanese, polite. */
export const ja: Messages = {
  secured: 'Linchpin により保護されています',
  privacy: 'プライバシー',
  terms: '利用規約',
  thisApp: 'このアプリ',
  action: {
    back: '戻る',
    close: '閉じる',
    cancel: 'キャンセル',
    done: '完了',
    tryAgain: 'もう一度試す',
    continue: '続ける',
    startAgain: '最初からやり直す',
    checkAgain: 'もう一度確認する',
    chooseAnother: '別のツールを選ぶ',
    connectAnother: '別のツールも接続する',
    updateConnection: '既存の接続を更新',
    addConnection: '別の接続として追加',
    openAgain: 'ウィンドウをもう一度開く',
    connect: ({ tool }) => t`${tool} を接続`,
    continueTo: ({ tool }) => t`${tool} に進む`,
    returnTo: ({ workspace }) => t`${workspace} に戻る`,
    returning: ({ workspace }) => t`まもなく ${workspace} に戻ります…`,
    stay: 'このページにとどまる',
  },
  picker: {
    title: ({ workspace }) => t`ツールを ${workspace} に接続`,
    body: 'ツールを選んでください。接続するまでは何も共有されません。',
    search: 'ツールを検索',
    searchButton: '検索',
    skip: 'ツールの一覧へ移動',
    clear: 'すべてのツールを表示',
    categories: 'カテゴリ',
    all: 'すべて',
    resultCount: ({ count }) => `${number(count)} 件のツール`,
    noMatch: ({ query }) => ({
      title: t`「${query}」に合うツールはありません`,
      body: 'つづりを確認するか、短い言葉でお試しください。',
    }),
    connectedHere: '今回接続したツール',
    connected: '接続済み',
    custom: '独自',
    test: 'テスト',
    category: {
      accounting: '会計',
      ai: 'AI',
      analytics: '分析',
      ats: '採用',
      calendar: 'カレンダー',
      crm: 'CRM',
      developer_tools: '開発',
      documentation: 'ドキュメント',
      hris: '人事',
      identity: 'ID 管理',
      mail: 'メール',
      marketing: 'マーケティング',
      messaging: 'コミュニケーション',
      other: 'その他',
      payments: '決済',
      project_management: 'プロジェクト管理',
      social: 'SNS',
      storage: 'ファイル',
      support: 'サポート',
      ticketing: 'チケット管理',
    },
  },
  auth: {
    title: ({ tool }) => t`${tool} をどの方法で接続しますか`,
    body: 'やりやすい方法をお選びください。接続はいつでも解除できます。',
    signIn: ({ tool }) => t`${tool} にサインイン`,
    signInLine: ({ host }) => t`${host} でサインインします。コピーするものはありません。`,
    recommended: 'おすすめ',
    apiKey: 'API キーを使う',
    apiKeyLine: ({ tool }) => t`${tool} の設定からキーをコピーします。`,
    tokenLine: ({ tool }) => t`${tool} の設定からトークンをコピーします。`,
    token: 'アクセストークンを使う',
    password: 'ユーザー名とパスワードを使う',
    passwordLine: 'パスワードは暗号化して保存します。',
    fieldsLine: ({ label }) => t`必要なもの：${label}`,
    scopes: ({ workspace }) => t`${workspace} ができるようになること：`,
    moreScopes: ({ count }) => `ほか ${number(count)} 件`,
    other: ({ label }) => t`${label} を使う`,
  },
  form: {
    title: ({ tool, workspace }) => t`${tool} を ${workspace} に接続`,
    reconnectTitle: ({ tool, workspace }) => t`${tool} を ${workspace} に再接続`,
    change: '変更',
    body: ({ workspace, tool }) =>
      t`${workspace} は ${tool} で、この情報で許可されているすべての操作を行えるようになります。入力内容は ${tool} で確認し、暗号化して保存します。接続はいつでも解除できます。`,
    bodyForKey: ({ workspace, tool }) =>
      t`${workspace} は ${tool} で、このキーで許可されているすべての操作を行えるようになります。キーは ${tool} で確認し、暗号化して保存します。接続はいつでも解除できます。`,
    custom: ({ workspace, tool }) =>
      t`${tool} へのこの接続は ${workspace} が作成したもので、審査されていません。信頼できる場合にのみ進んでください。`,
    optional: '任意',
    choose: '選択してください',
    show: '表示',
    hide: '隠す',
    showField: ({ label }) => t`${label} を表示`,
    hideField: ({ label }) => t`${label} を隠す`,
    whereToFind: 'どこで確認できますか',
    newWindow: '新しいウィンドウで開きます',
    fieldErrors: ({ count }) => `${number(count)} 件の項目を確認してください`,
    reenterSecrets:
      '安全のため、このページにはキーやパスワードが残りません。もう一度入力してください。',
    sessionLost:
      'ページを開いたまま時間が経ちすぎたか、Cookie がブロックされています。何も送信されていません。フォームを確認して、もう一度送信してください。',
    missing: ({ label }) => t`${label} を入力してください`,
    notChosen: ({ label }) => t`${label} を選択してください`,
    notEmail: 'name@example.com のようなメールアドレスを入力してください',
    notUrl: 'https://example.com のような完全なアドレスを入力してください',
    notNumber: '数値を入力してください',
    notDate: '日付を入力してください',
    tooShort: ({ count }) => `${number(count)} 文字以上で入力してください`,
    tooLong: ({ count }) => `${number(count)} 文字以内で入力してください`,
    tooSmall: ({ count }) => `${number(count)} 以上の値を入力してください`,
    tooLarge: ({ count }) => `${number(count)} 以下の値を入力してください`,
    patternMismatch: ({ label }) => t`${label} の形式が正しくありません。確認してください`,
    example: ({ label }) => t`例: ${label}`,
    linesHelp: '1 行に 1 つずつ入力してください。',
    jsonHelp: 'JSON 形式で入力してください。',
  },
  states: jaStates,
  portal: jaPortal,
  failures: {
    access_denied: () =>
      'アクセスが拒否されました。何も共有されていません。間違いの場合は、最初からやり直してください。',
    admin_consent_granted: ({ tool }) =>
      t`${tool} の管理者が許可しましたが、まだ誰もサインインしていません。アカウントを接続するには、最初からやり直してください。`,
    already_connected: ({ tool }) =>
      t`${tool} はこのアカウントですでに接続されています。その接続を更新するか、別の接続として追加するには、最初からやり直してください。`,
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
    key_rejected: ({ workspace, tool }) =>
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
    provider_error: ({ tool }) =>
      t`${tool} が現在応答していません。数分後にもう一度お試しください。`,
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
  },
}
