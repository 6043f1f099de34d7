import { createTextTag, getFormatters } from '../localized-text.ts'
import type { Translation } from '../messages.ts'

const LOCALE = 'ja'
const THIS_APP = 'このアプリ'
const { day, daysAgo, minute, number, relativeTime } = getFormatters(LOCALE)
const t = createTextTag(THIS_APP)

/** Japanese, polite. */
export const ja = {
  locale: LOCALE,
  direction: 'ltr',
  technicalTerms: /oauth|バンドル|クレデンシャル|認証|資格情報|プロバイダ|！|!/i,
  secured: 'Linchpin により保護されています',
  privacy: 'プライバシー',
  terms: '利用規約',
  thisApp: THIS_APP,
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
    newScopes: ({ workspace }) => t`新規：${workspace} が新たにできるようになること：`,
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
  states: {
    noneInWorkspace: ({ workspace }) => ({
      title: '接続できるツールがまだありません',
      body: t`${workspace} はこのリンクにまだツールを追加していません。${workspace} に追加を依頼してください。`,
    }),
    noneMatchKeys: ({ workspace }) => ({
      title: 'ここで接続できるツールはありません',
      body: t`このリンクで指定されたツールを ${workspace} は提供していません。${workspace} にお問い合わせください。`,
    }),
    noneWithSignIn: ({ workspace }) => ({
      title: 'サインインできるツールがありません',
      body: t`このリンクではサインインして使うツールのみ接続できますが、${workspace} はまだ設定していません。${workspace} にお問い合わせください。`,
    }),
    appMissing: ({ workspace, tool }) => ({
      title: t`${tool} はまだ設定されていません`,
      body: t`接続するには、先に ${workspace} が ${tool} へのサインインを設定する必要があります。${workspace} にお問い合わせください。`,
    }),
    appRemoved: ({ workspace, tool }) => ({
      title: t`${tool} は現在再接続できません`,
      body: t`先に ${workspace} が ${tool} へのサインインを設定し直す必要があります。接続は変更されていません。${workspace} にお問い合わせください。`,
    }),
    toolGone: ({ workspace }) => ({
      title: 'このツールはここでは利用できなくなりました',
      body: t`${workspace} はこのツールの提供を終了しました。何も変更されていません。引き続き必要な場合は ${workspace} にお問い合わせください。`,
    }),
    signIn: ({ workspace, tool, host }) => ({
      title: t`${tool} を ${workspace} に接続`,
      body: t`${host} でサインインし、共有する内容をそこで確認します。${workspace} がパスワードを見ることはありません。`,
    }),
    signInAgain: ({ workspace, tool, host }) => ({
      title: t`${tool} を ${workspace} に再接続`,
      body: t`${host} でサインインし、共有する内容をそこで確認します。${workspace} がパスワードを見ることはありません。`,
    }),
    beforeSignIn: ({ workspace, tool, host }) => ({
      title: t`${tool} へのこの接続は ${workspace} が作成したもので、審査されていません。${host} をご存じの場合にのみ進んでください。`,
      body: t`接続はいつでも解除できます。お心当たりがない場合は、このページを閉じてください。${workspace} には何も共有されません。`,
    }),
    waitingSignIn: ({ tool }) => ({
      title: t`${tool} へのサインインを完了してください`,
      body: t`${tool} は別のウィンドウで開いています。完了すると、このページは自動的に更新されます。`,
    }),
    popupBlocked: ({ tool }) => ({
      title: 'ブラウザがウィンドウをブロックしました',
      body: t`代わりに、このページで ${tool} に進んでください。完了するとここに戻ります。`,
    }),
    popupBlockedInFrame: ({ tool }) => ({
      title: 'ブラウザがウィンドウをブロックしました',
      body: t`代わりに、新しいタブで ${tool} に進んでください。完了すると、このページは自動的に更新されます。`,
    }),
    windowClosed: ({ tool }) => ({
      title: 'サインインが完了していません',
      body: t`${tool} へのサインインのウィンドウは閉じられたようです。もう一度お試しください。まだ開いている場合は、そこで完了してください。このページは自動的に更新されます。`,
    }),
    checking: ({ tool }) => ({
      title: t`${tool} で確認しています`,
      body: '数秒かかります。このページを開いたままお待ちください。',
    }),
    slow: ({ tool }) => ({
      title: t`${tool} の応答に時間がかかっています`,
      body: t`このままお待ちになるか、後でもう一度お試しください。${tool} が応答するまで何も接続されません。`,
    }),
    offline: () => ({
      title: 'オフラインです',
      body: '入力した内容は残っています。インターネット接続を確認して、もう一度お試しください。',
    }),
    connected: ({ workspace, tool }) => ({
      title: t`${tool} を接続しました`,
      body: t`このページを閉じて ${workspace} に戻ることができます。`,
    }),
    connectedAs: ({ workspace, tool, account }) => ({
      title: t`${tool} を接続しました`,
      body: t`${account} として接続しています。このページを閉じて ${workspace} に戻ることができます。`,
    }),
    failed: ({ tool }) => ({
      title: t`${tool} は接続されませんでした`,
      body: '何も共有されていません。',
    }),
    chooseFacts: ({ tool }) => ({
      title: t`${tool} で接続する対象を選択してください`,
      body: t`${tool} でアクセスできる対象が複数あります。`,
    }),
    alreadyConnected: ({ tool, account }) => ({
      title: t`${account} はすでに接続されています`,
      body: t`${tool} の既存の接続を更新するか、別の接続として追加してください。選択するまで何も変わりません。`,
    }),
    expired: ({ workspace, at }) => ({
      title: t`このリンクは ${day(at)}に期限が切れました`,
      body: t`${workspace} に新しいリンクを依頼してください。これまでの接続はそのまま残ります。`,
    }),
    revoked: ({ workspace }) => ({
      title: t`${workspace} がこのリンクを終了しました`,
      body: t`${workspace} に新しいリンクを依頼してください。これまでの接続はそのまま残ります。`,
    }),
    unknownLink: () => ({
      title: 'このリンクは見つかりません',
      body: '一部が欠けている可能性があります。受け取った場所からもう一度開くか、新しいリンクを依頼してください。',
    }),
    full: ({ workspace }) => ({
      title: 'このリンクは上限に達しました',
      body: t`このリンクで許可された接続はすべて完了しています。${workspace} に新しいリンクを依頼してください。`,
    }),
    identifierFull: ({ workspace }) => ({
      title: 'このリンクで許可された接続はすべて完了しています',
      body: t`さらに接続するには、${workspace} に新しいリンクを依頼してください。`,
    }),
    alreadyFinished: ({ tool }) => ({
      title: 'すでに完了しています',
      body: t`${tool} のこのフォームはすでに送信されています。処理が重複することはありません。`,
    }),
    stillRunning: ({ tool }) => ({
      title: t`${tool} での確認が続いています`,
      body: 'このフォームはすでに送信されています。確認は続いており、処理が重複することはありません。',
    }),
    rateLimited: ({ seconds }) => ({
      title: 'リクエストが多すぎます',
      body: t`${relativeTime(seconds)}にもう一度お試しください。接続済みのものはそのまま残ります。`,
    }),
    tooManyFailed: ({ seconds }) => ({
      title: '失敗した回数が多すぎます',
      body: t`お使いのブラウザまたはネットワークからの入力が何度も拒否されました。${relativeTime(seconds)}にもう一度お試しください。接続済みのものはそのまま残ります。`,
    }),
    notHere: () => ({
      title: 'このページはここでは表示できません',
      body: 'このサイトは、表示を許可されたサイトの一覧にありません。サイトの運営会社に追加を依頼してください。',
    }),
    notOurs: () => ({
      title: 'このフォームは送信できませんでした',
      body: '安全のため、このページ自体から送信されたフォームのみ受け付けます。何も行われていません。リンクをもう一度開き、そのページからフォームを送信してください。',
    }),
    sessionStart: ({ workspace }) => ({
      title: t`${workspace} がツールの接続を求めています`,
      body: t`何を接続するかは次のページで選びます。${workspace} から来た場合にのみ続けてください。続けると、このページはこのブラウザーでのみ使えます。`,
    }),
    sessionStartOne: ({ workspace, tool }) => ({
      title: t`${tool} を ${workspace} に接続`,
      body: t`${workspace} から来た場合にのみ続けてください。続けると、このページはこのブラウザーでのみ使えます。`,
    }),
    sessionRefused: () => ({
      title: 'このページは使用できません',
      body: 'このページは一度だけ、一つのブラウザーで、限られた時間だけ使えます。元の場所に戻り、最初からやり直してください。',
    }),
    sessionUsed: ({ workspace }) => ({
      title: 'このリンクはすでに使われています',
      body: t`このリンクでの手続きは完了しています。ほかのツールを接続するには、${workspace} に新しいリンクを依頼してください。`,
    }),
    sessionElsewhere: ({ workspace }) => ({
      title: 'このリンクは別のブラウザーで開かれました',
      body: t`安全のため、最初に開いたブラウザーでのみ使えます。そのブラウザーで続けるか、${workspace} に新しいリンクを依頼してください。`,
    }),
    sessionRequired: () => ({
      title: 'このページには招待が必要です',
      body: 'ここへ案内したアプリに戻り、そこから始めてください。',
    }),
    wrongAddress: () => ({
      title: 'このリンクは無効です',
      body: '誰のためのリンクかが正しく示されていないため、何も行われませんでした。リンクを送った会社にお問い合わせください。',
    }),
    notOffered: ({ workspace, tool }) => ({
      title: t`${tool} はここでは利用できなくなりました`,
      body: t`${workspace} がこのリンクを変更しました。何も接続されておらず、入力内容も保存していません。`,
    }),
    wayChanged: ({ workspace, tool }) => ({
      title: t`${tool} の接続方法が変わりました`,
      body: t`${workspace} がこの接続を変更しました。何も接続されておらず、入力内容も保存していません。`,
    }),
    redirectNotAllowed: () => ({
      title: 'このリンクの戻り先は許可されていません',
      body: 'リンクを送った会社がこのアドレスを許可していないため、何も行われませんでした。その会社にお問い合わせください。',
    }),
    busy: () => ({
      title: '現在続行できません',
      body: '問題はこちら側にあり、何も接続されていません。1 分ほど待ってから、最初からやり直してください。',
    }),
    closed: () => ({
      title: 'このウィンドウは閉じてかまいません',
      body: '元のページは自動的に更新されます。',
    }),
    notKnown: () => ({
      title: 'このページの有効期限が切れました',
      body: 'すでに使用されたか、10 分が経過しました。元の場所に戻って、最初からやり直してください。',
    }),
    finished: () => ({
      title: 'すでに完了しています',
      body: 'このページは閉じてかまいません。接続されたかどうかは、元のページで確認できます。',
    }),
    adminConsent: () => ({
      title: '管理者の許可が与えられました',
      body: 'まだ何も接続されていません。接続したいアプリに戻り、そこから始めてください。',
    }),
    startedElsewhere: () => ({
      title: 'このサインインは別の場所から始める必要があります',
      body: '接続したいアプリから開始されたものではないため、何も接続されませんでした。そのアプリを開き、そこから接続してください。',
    }),
    otherBrowser: () => ({
      title: '別のブラウザで開始されています',
      body: '安全のため中止し、何も接続しませんでした。最初からやり直し、同じブラウザをお使いください。Cookie を許可する必要があります。',
    }),
  },
  portal: {
    start: ({ workspace }) => ({
      title: t`${workspace} との接続`,
      body: t`次のページで、${workspace} に接続したツールを確認できます。${workspace} から来た場合にのみ続けてください。このページは、その後このブラウザーでのみ使えます。`,
    }),
    title: ({ workspace }) => t`${workspace} との接続`,
    body: '不要になったツールは接続を解除できます。',
    attention: ({ count, total }) =>
      `${number(total)} 件中 ${number(count)} 件の接続に対応が必要です`,
    none: ({ workspace }) => ({
      title: '接続しているツールはありません',
      body: t`${workspace} に接続したツールがここに表示されます。`,
    }),
    signedInAs: ({ account }) => t`${account} としてログイン中`,
    connectedOn: ({ at }) => `接続日：${day(at)}`,
    lastUsedOn: ({ at }) => `最終使用日：${day(at)}`,
    lastUsedAgo: ({ count }) => `最終使用：${daysAgo(count)}`,
    neverUsed: 'まだ使われていません',
    active: '正常です',
    unchecked: 'まだ確認されていません',
    needsReauth: '使えなくなりました。もう一度接続してください。',
    error: ({ workspace }) => t`現在使えません。${workspace} による対応が必要です。`,
    pending: ({ workspace }) => t`${workspace} の確認を待っています`,
    more: ({ tool, account }) => t`${tool} のその他の操作：${account}`,
    disconnect: '接続を解除',
    disconnectAccount: ({ tool, account }) => t`${tool} の接続を解除：${account}`,
    reconnect: '再接続',
    reconnectAccount: ({ tool, account }) => t`${tool} を再接続：${account}`,
    connectFirst: 'ツールを接続',
    showMore: 'さらに表示',
    yourConnections: '接続の一覧',
    ask: ({ tool, workspace }) => ({
      title: t`${tool} の接続を解除しますか？`,
      body: t`${workspace} はこの接続を使えなくなり、保存した情報は消去されます。${tool} はいつでも接続し直せます。`,
    }),
    confirm: ({ tool }) => t`${tool} の接続を解除`,
    keep: '接続したままにする',
    disconnected: ({ tool }) => t`${tool} の接続を解除しました`,
    revoked: ({ tool }) =>
      t`${tool} がアクセスの取り消しを確認し、保存していた情報を消去しました。`,
    revocationUnsupported: ({ tool }) =>
      t`保存していた情報を消去しました。${tool} へのアクセスはこちらから取り消せないため、${tool} の設定で取り消してください。`,
    revocationFailed: ({ tool }) =>
      t`保存していた情報を消去しましたが、${tool} はアクセスの取り消しを確認しませんでした。念のため、${tool} の設定でアクセスを削除してください。`,
    grantShared: ({ tool }) =>
      t`保存していた情報を消去しました。別の接続が ${tool} への同じログインを使っています。その接続も解除すると、アクセスが取り消されます。`,
    nothingToRevoke: ({ tool }) =>
      t`保存していた情報を消去しました。このためにキーを作成した場合は、${tool} の設定で削除してください。`,
    gone: () => ({
      title: 'この接続は一覧にありません',
      body: 'すでに解除されている可能性があります。何も変更されていません。',
    }),
    agents: {
      link: 'AI アシスタント',
      ofAccount: ({ tool, account }) => t`AI アシスタントと ${tool}: ${account}`,
      ask: ({ tool, workspace }) => ({
        title: t`AI アシスタントは ${tool} で何ができますか？`,
        body: t`${workspace} の AI アシスタントは、${workspace} が定めた範囲でこの接続を使えます。ここでさらに制限できます。`,
      }),
      label: 'AI アシスタントに許可する操作',
      access: {
        full: '読み取りと変更',
        read_only: '読み取りのみ',
        paused: '何も許可しない',
      },
      save: '保存',
      saved: '保存しました。今から適用されます。',
      restricted: {
        read_only: 'AI アシスタントは読み取りのみ',
        paused: 'AI アシスタントは一時停止中',
      },
      recent: '最近のリクエスト',
      none: 'まだありません。',
      read: '読み取り',
      changed: '送信済み',
      refused: '未送信',
      at: ({ at }) => minute(at),
      clients: '接続にアクセスできるアプリ',
      endAccess: 'アクセスを終了',
      endAccessOf: ({ client }) => t`アクセスを終了: ${client}`,
    },
  },
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
  setup: {
    start: ({ tool, workspace }) => ({
      title: t`${workspace} のために ${tool} を設定`,
      body: t`このページは、組織内で ${tool} を管理する方のためのものです。続行すると、このブラウザでのみ使えます。`,
    }),
    form: ({ tool, workspace }) => ({
      title: t`${workspace} のために ${tool} を設定`,
      body: t`${workspace} は、貴組織のアプリを使って ${tool} に接続します。${tool} でアプリを作成し、その情報をここに入力してください。`,
    }),
    steps: ({ tool }) => t`${tool} での操作`,
    createApp: ({ tool }) => t`${tool} の開発者設定でアプリを作成します。`,
    enterAddress: '下のリダイレクト URI を許可するアドレスとして入力します。',
    copyDetails: 'クライアント ID とクライアントシークレットをコピーします。',
    redirectUri: 'リダイレクト URI',
    redirectUriHelp: '末尾にスラッシュを付けず、そのままコピーしてください。',
    scopes: 'アプリに必要な権限',
    details: 'アプリの情報',
    clientId: 'クライアント ID',
    issuer: '発行者（Issuer）',
    issuerHelp: 'サインインするサーバーのアドレスです（例: https://auth.example.com）。',
    noIssuer: 'このアドレスにサインイン用のサーバーが見つかりませんでした。',
    clientSecret: 'クライアントシークレット',
    clientSecretHelp: 'アプリにない場合は空のままにしてください。',
    check: '確認して保存',
    saveAnyway: 'このまま保存',
    note: ({ tool }) => t`シークレットは暗号化して保存され、${tool} にのみ送信されます。`,
    failed:
      '確認で問題が見つかったため、何も保存されませんでした。修正してシークレットを再入力するか、このまま保存してください。',
    problems: {
      client: ({ tool }) =>
        t`${tool} がこのクライアント ID を認識しないか、シークレットが間違っています。`,
      unreachable: ({ tool }) => t`${tool} から確認への応答がありませんでした。`,
      redirectUri: ({ tool }) =>
        t`${tool} がリダイレクト URI を受け付けません。上のものをそのままアプリに入力してください。`,
      notAllowed: ({ workspace }) =>
        t`シークレットはまだこのアドレスに送信できません。${workspace} に許可を依頼してください。`,
    },
    saved: ({ tool, workspace }) => ({
      title: t`${tool} の設定が完了しました`,
      body: t`今後は、貴組織のアプリを使って ${tool} を ${workspace} に接続します。今すぐ接続できます。`,
    }),
    connectNow: '今すぐ接続',
  },
  agent: {
    start: ({ workspace }) => ({
      title: 'アシスタントが回答を待っています',
      body: t`あなたのために働くアシスタントが、あなただけが許可できる操作を求めています。ご本人であることを確認するため ${workspace} に進んでください。その後、内容が表示されます。`,
    }),
    review: ({ workspace, tool }) => ({
      title: t`${tool} でこの操作を許可しますか？`,
      body: t`${workspace} のアシスタントが、次の内容をそのまま ${tool} に送信しようとしています。許可した場合に限り、一度だけ送信されます。`,
    }),
    as: ({ account }) => t`接続 ${account} を使用`,
    details: '詳細',
    content: '内容',
    file: ({ count }) => `${number(count)} バイトのファイル（表示できません）`,
    allow: '一度だけ許可',
    deny: '許可しない',
    allowed: () => ({
      title: '許可しました',
      body: 'アシスタントは、質問から 10 分以内に一度だけ実行できます。このページは閉じてかまいません。',
    }),
    denied: () => ({
      title: '許可しませんでした',
      body: '何も送信されていません。このページは閉じてかまいません。',
    }),
    wrongPerson: ({ workspace }) => ({
      title: '別の方への質問です',
      body: t`アシスタントが質問している相手はあなたではないため、何も表示も許可もされていません。誰かからこのリンクを受け取った場合は、${workspace} にお知らせください。`,
    }),
    ended: () => ({
      title: 'この質問は終了しました',
      body: '回答済みか、時間切れか、別のブラウザで開かれています。アシスタントにもう一度依頼してください。',
    }),
  },
  consent: {
    ask: ({ client, workspace }) => ({
      title: t`${client} に接続の使用を許可しますか？`,
      body: t`${client} は ${workspace} の一部ではありません。許可すると、${workspace} に接続したものを、${workspace} が終了するまで、現在も今後も使用できます。`,
    }),
    from: ({ host }) => t`このアプリの情報は ${host} で公開されています。`,
    unverified: 'このアプリは自分で登録しました。名前は誰も確認していません。',
    to: ({ host }) => t`回答は ${host} に送られます。`,
    local:
      '回答はこのデバイスのプログラムに送られます。そこでサインインを始めた直後の場合にのみ許可してください。',
    accounts: ({ workspace }) => t`${workspace} への接続`,
    noAccounts: 'まだありません',
    more: 'ほか',
    allowRead: '読み取りを許可',
    allowWrite: '読み取りと変更を許可',
    invalid: {
      title: 'このサインインは続行できません',
      body: '何も許可されていません。アプリに戻って、もう一度始めてください。このページが再び表示される場合は、アプリの開発者に次の情報を伝えてください。',
    },
  },
  sandbox: {
    title: 'Acme Sandbox にサインイン',
    body: 'テスト用のツールです。人物とチケットは架空のもので、データがこのサービスの外に出ることはありません。',
    access: 'Linchpin がチケットの閲覧と作成を求めています。',
    as: ({ account }) => `${account} として続行`,
    deny: '拒否',
    invalid: {
      title: 'このサインインは続行できません',
      body: 'リクエストが不完全です。前のページに戻って、もう一度始めてください。',
    },
  },
  host: {
    title: 'ツールを接続',
    loading: '読み込み中',
    failed: '開けませんでした。閉じて、しばらくしてからもう一度お試しください。',
    notAllowed: 'ここでは開けません。このサイトの運営会社に許可を依頼してください。',
    close: '閉じる',
  },
  labels: {
    'access token': 'アクセストークン',
    'account id': 'アカウントID',
    'account sid': 'アカウントSID',
    address: 'アドレス',
    'admin api access token': 'Admin APIアクセストークン',
    'api access token': 'APIアクセストークン',
    'data center': 'データセンター',
    'account name': 'アカウント名',
    'access key': 'アクセスキー',
    'private key': '秘密鍵',
    'private api key': '非公開APIキー',
    'public key': '公開鍵',
    'app id': 'アプリID',
    'app api key': 'アプリのAPIキー',
    instance: 'インスタンス',
    workspace: 'ワークスペース',
    'european union': '欧州連合',
    'api key': 'APIキー',
    'api secret': 'APIシークレット',
    'api token': 'APIトークン',
    'application key': 'アプリケーションキー',
    'auth token': 'Authトークン',
    'bot token': 'ボットトークン',
    'client credentials': 'クライアントIDとシークレット',
    'client id': 'クライアントID',
    'client identifier': 'クライアントID',
    'client secret': 'クライアントシークレット',
    'company domain': '会社のドメイン',
    'consumer key': 'コンシューマーキー',
    'consumer secret': 'コンシューマーシークレット',
    domain: 'ドメイン',
    'e-mail': 'メールアドレス',
    email: 'メールアドレス',
    'email address': 'メールアドレス',
    'enterprise id': 'Enterprise ID',
    environment: '環境',
    host: 'ホスト',
    'key secret': 'キーのシークレット',
    'key sid': 'キーのSID',
    name: '名前',
    organization: '組織',
    password: 'パスワード',
    'personal access token': '個人用アクセストークン',
    'personal api token': '個人用APIトークン',
    'personal token': '個人用トークン',
    port: 'ポート',
    'project id': 'プロジェクトID',
    'public api token': 'パブリックAPIトークン',
    region: 'リージョン',
    scopes: '権限',
    secret: 'シークレット',
    'secret key': 'シークレットキー',
    'secret or restricted key': 'シークレットキーまたは制限付きキー',
    server: 'サーバー',
    'server api token': 'サーバーAPIトークン',
    'server to server': 'サーバー間',
    'service account': 'サービスアカウント',
    'service key': 'サービスキー',
    'service region': 'サービスリージョン',
    site: 'サイト',
    store: 'ストア',
    'store address': 'ストアのアドレス',
    subdomain: 'サブドメイン',
    tenant: 'テナント',
    token: 'トークン',
    url: 'URL',
    'user id': 'ユーザーID',
    'user name': 'ユーザー名',
    username: 'ユーザー名',
    australia: 'オーストラリア',
    canada: 'カナダ',
    china: '中国',
    europe: 'ヨーロッパ',
    india: 'インド',
    japan: '日本',
    'saudi arabia': 'サウジアラビア',
    'united arab emirates': 'アラブ首長国連邦',
    'united kingdom': 'イギリス',
    'united states': 'アメリカ合衆国',
    global: 'グローバル',
    demo: 'デモ',
    live: '本番',
    production: '本番',
    sandbox: 'サンドボックス',
    standard: '標準',
  },
} satisfies Translation
