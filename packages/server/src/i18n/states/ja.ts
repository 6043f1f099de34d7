import { getFormatters } from '../formatters.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('ja')

/** Japanese: what is so, and what it means. */
export const jaStates: Messages['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: '接続できるツールがまだありません',
    body: t`${workspace} はこのリンクにツールを追加していません。${workspace} に追加を依頼してください。`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'ここで接続できるツールはありません',
    body: t`${workspace} が指定したツールは、ここでは提供されていません。${workspace} にお知らせください。`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'サインインできるツールがありません',
    body: t`このリンクはサインインして使うツールだけを受け付けますが、${workspace} はまだ用意していません。${workspace} にお知らせください。`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: t`${tool} へのサインインはまだ準備できていません`,
    body: t`準備は ${workspace} が行います。${workspace} に知らせてください。`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} がお使いの ${tool} との接続を求めています`,
    body: t`${host} でサインインし、共有する内容をそこで確認します。${workspace} がパスワードを見ることはありません。`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: t`${workspace} がお使いの ${tool} との再接続を求めています`,
    body: t`${host} でサインインし、共有する内容をそこで確認します。${workspace} がパスワードを見ることはありません。`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: t`${tool} は ${workspace} が独自に追加したもので、ほかの誰も確認していません。${host} をご存じの場合にのみ進んでください。`,
    body: t`接続はいつでも解除できます。お心当たりがない場合は、このページを閉じてください。${workspace} には何も渡りません。`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: t`${tool} へのサインインを完了してください`,
    body: t`${tool} は別のウィンドウで開いています。完了すると、このページは自動的に進みます。`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'ブラウザがウィンドウをブロックしました',
    body: t`このページのまま ${tool} に進んでください。完了するとここに戻ります。`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'ブラウザがウィンドウをブロックしました',
    body: t`代わりに新しいタブで ${tool} に進んでください。完了すると、このページは自動的に進みます。`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'ウィンドウはまだ開いていますか',
    body: t`開いている場合は、そこで ${tool} へのサインインを完了してください。閉じた場合は、もう一度開いてください。このページは自動的に進みます。`,
  }),
  checking: ({ tool }) => ({
    title: t`${tool} で確認しています`,
    body: '数秒かかります。このページを開いたままお待ちください。',
  }),
  slow: ({ tool }) => ({
    title: t`${tool} の応答に時間がかかっています`,
    body: t`このまま待つことも、後でやり直すこともできます。${tool} が応答するまでは何も接続されません。`,
  }),
  offline: () => ({
    title: 'オフラインです',
    body: '入力した内容は残っています。インターネット接続を確認して、もう一度お試しください。',
  }),
  connected: ({ tool, workspace }) => ({
    title: t`${tool} を接続しました`,
    body: t`このページを閉じて ${workspace} に戻ることができます。`,
  }),
  connectedAs: ({ tool, workspace, account }) => ({
    title: t`${tool} を接続しました`,
    body: t`${account} として接続しています。このページを閉じて ${workspace} に戻ることができます。`,
  }),
  failed: ({ tool }) => ({
    title: t`${tool} は接続されませんでした`,
    body: '何も共有されていません。',
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
    body: '一部が欠けているかもしれません。受け取った場所からもう一度開くか、新しいリンクを依頼してください。',
  }),
  full: ({ workspace }) => ({
    title: 'このリンクは上限に達しました',
    body: t`このリンクで許可された接続はすべて済んでいます。${workspace} に新しいリンクを依頼してください。`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'このリンクで許可された接続はすべて済んでいます',
    body: t`さらに接続するには、${workspace} に新しいリンクを依頼してください。`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'すでに完了しています',
    body: t`${tool} についての入力はすでに届いており、一度だけ使われました。重複して行われたことはありません。`,
  }),
  stillRunning: ({ tool }) => ({
    title: t`まだ ${tool} で確認しています`,
    body: 'すでに一度送信されています。処理は続いており、重複して行われることはありません。',
  }),
  rateLimited: ({ seconds }) => ({
    title: '操作が少し速すぎました',
    body: t`${relativeTime(seconds)}にもう一度お試しください。接続済みのものはそのまま残ります。`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: '失敗した回数が多すぎます',
    body: t`こちらからの入力が何度も受け付けられませんでした。${relativeTime(seconds)}にもう一度お試しください。接続済みのものはそのまま残ります。`,
  }),
  notHere: () => ({
    title: 'このページはここでは表示できません',
    body: '表示元のサイトは許可された一覧にありません。サイトの運営者に追加を依頼してください。',
  }),
  notOurs: () => ({
    title: '別のページからの操作でした',
    body: '安全のため、何も行いませんでした。受け取ったリンクを開き、そのページのボタンをお使いください。',
  }),
  wrongAddress: () => ({
    title: 'このリンクは正しく作られていません',
    body: '誰のためのものかが正しく示されていないため、何も行いませんでした。リンクの送り主にお知らせください。',
  }),
  notOffered: ({ tool, workspace }) => ({
    title: t`${tool} はここでは提供されなくなりました`,
    body: t`${workspace} がこのリンクを変更しました。何も接続されておらず、入力内容も保存していません。`,
  }),
  wayChanged: ({ tool, workspace }) => ({
    title: t`${tool} の接続方法が変わりました`,
    body: t`${workspace} が設定を変更しました。何も接続されておらず、入力内容も保存していません。`,
  }),
  redirectNotAllowed: () => ({
    title: 'このリンクの戻り先は許可されていません',
    body: '戻り先のアドレスが登録されていないため、何も行いませんでした。リンクの送り主にお知らせください。',
  }),
  busy: () => ({
    title: '現在続行できません',
    body: '原因は当方にあり、何も接続されていません。1 分ほど待ってから、最初からやり直してください。',
  }),
  closed: () => ({
    title: 'このウィンドウは閉じてかまいません',
    body: '元のページは自動的に進みます。',
  }),
  notKnown: () => ({
    title: 'このページはもう使えません',
    body: 'すでに使用されたか、10 分が経過しました。元の場所に戻って、最初からやり直してください。',
  }),
  finished: () => ({
    title: 'すでに完了しています',
    body: 'このページは閉じてかまいません。接続されたかどうかは、元の場所で確認できます。',
  }),
  otherBrowser: () => ({
    title: '別のブラウザで開始されています',
    body: '安全のため中止し、何も接続しませんでした。最初からやり直し、同じブラウザをお使いください。Cookie を許可する必要があります。',
  }),
}
