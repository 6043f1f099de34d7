import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('ar')

/** Arabic: one message per screen. */
export const arStates: Messages['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: 'لا يوجد ما يمكن ربطه بعد',
    body: t`لم تُضف ${workspace} أي أداة إلى هذا الرابط بعد. اطلب من ${workspace} إضافة أداة.`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'لا يوجد ما يمكن ربطه هنا',
    body: t`يطلب هذا الرابط أدوات لا توفرها ${workspace}. تواصل مع ${workspace}.`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'لا توجد أداة لتسجيل الدخول إليها',
    body: t`يقبل هذا الرابط فقط الأدوات التي تسجّل الدخول إليها، ولم تُعدّ ${workspace} أيًا منها. تواصل مع ${workspace}.`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: t`لم يتم إعداد ${tool} بعد`,
    body: t`يجب أن تُعدّ ${workspace} تسجيل الدخول إلى ${tool} قبل أن تتمكن من ربطه. تواصل مع ${workspace}.`,
  }),
  appRemoved: ({ workspace, tool }) => ({
    title: t`لا يمكن إعادة ربط ${tool} الآن`,
    body: t`يجب أولًا أن تُعدّ ${workspace} تسجيل الدخول إلى ${tool} من جديد. لم يتغير اتصالك. تواصل مع ${workspace}.`,
  }),
  toolGone: ({ workspace }) => ({
    title: 'لم تعد هذه الأداة متاحة هنا',
    body: t`لم تعد ${workspace} تقدّمها. لم يتغير شيء. تواصل مع ${workspace} إن كنت ما زلت تحتاج إليها.`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: t`اربط ${tool} مع ${workspace}`,
    body: t`تسجّل الدخول في ${host} وترى هناك ما ستشاركه. لن ترى ${workspace} كلمة مرورك أبدًا.`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: t`أعد ربط ${tool} مع ${workspace}`,
    body: t`تسجّل الدخول في ${host} وترى هناك ما ستشاركه. لن ترى ${workspace} كلمة مرورك أبدًا.`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: t`أنشأت ${workspace} هذا الربط مع ${tool} بنفسها ولم تتم مراجعته. تابع فقط إذا كنت تعرف ${host}.`,
    body: t`يمكنك إلغاء الربط في أي وقت. إذا لم تطلب هذا فأغلق الصفحة: لن تتم مشاركة أي شيء مع ${workspace}.`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: t`أكمل تسجيل الدخول إلى ${tool}`,
    body: t`${tool} مفتوح في نافذة أخرى. عندما تنتهي هناك ستُحدَّث هذه الصفحة تلقائيًا.`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'حظر متصفحك النافذة',
    body: t`تابع إلى ${tool} في هذه الصفحة بدلًا من ذلك. ستعود إلى هنا عند الانتهاء.`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'حظر متصفحك النافذة',
    body: t`تابع إلى ${tool} في علامة تبويب جديدة بدلًا من ذلك. وعند الانتهاء ستُحدَّث هذه الصفحة تلقائيًا.`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'لم يكتمل تسجيل الدخول',
    body: t`يبدو أن نافذة تسجيل الدخول إلى ${tool} مغلقة. حاول مرة أخرى، أو أكمل فيها إن كانت ما زالت مفتوحة: ستُحدَّث هذه الصفحة تلقائيًا.`,
  }),
  checking: ({ tool }) => ({
    title: t`جارٍ التحقق مع ${tool}`,
    body: 'يستغرق هذا بضع ثوانٍ. أبقِ هذه الصفحة مفتوحة.',
  }),
  slow: ({ tool }) => ({
    title: t`يستغرق ${tool} وقتًا أطول من المعتاد`,
    body: t`يمكنك الانتظار أو المحاولة لاحقًا. لن يُربط شيء حتى يستجيب ${tool}.`,
  }),
  offline: () => ({
    title: 'أنت غير متصل بالإنترنت',
    body: 'ما أدخلته لا يزال هنا. تحقق من اتصالك ثم حاول مرة أخرى.',
  }),
  connected: ({ workspace, tool }) => ({
    title: t`تم ربط ${tool}`,
    body: t`يمكنك إغلاق هذه الصفحة والعودة إلى ${workspace}.`,
  }),
  connectedAs: ({ workspace, tool, account }) => ({
    title: t`تم ربط ${tool}`,
    body: t`الحساب المرتبط: ${account}. يمكنك إغلاق هذه الصفحة والعودة إلى ${workspace}.`,
  }),
  failed: ({ tool }) => ({
    title: t`لم يتم ربط ${tool}`,
    body: 'لم تتم مشاركة أي شيء.',
  }),
  alreadyConnected: ({ tool, account }) => ({
    title: t`سبق أن ربطت ${account}`,
    body: t`حدّث الاتصال الحالي بـ ${tool} أو أضف اتصالًا آخر. لن يتغير شيء حتى تختار.`,
  }),
  expired: ({ workspace, at }) => ({
    title: t`انتهت صلاحية هذا الرابط في ${day(at)}`,
    body: t`اطلب من ${workspace} رابطًا جديدًا. ما ربطته من قبل يبقى مرتبطًا.`,
  }),
  revoked: ({ workspace }) => ({
    title: t`أغلقت ${workspace} هذا الرابط`,
    body: t`اطلب من ${workspace} رابطًا جديدًا. ما ربطته من قبل يبقى مرتبطًا.`,
  }),
  unknownLink: () => ({
    title: 'لم نعثر على هذا الرابط',
    body: 'ربما ينقصه جزء. افتحه مرة أخرى من حيث حصلت عليه أو اطلب رابطًا جديدًا.',
  }),
  full: ({ workspace }) => ({
    title: 'بلغ هذا الرابط حدّه الأقصى',
    body: t`تم بالفعل ربط كل ما يسمح به. اطلب من ${workspace} رابطًا جديدًا.`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'لقد ربطت كل ما يسمح به هذا الرابط',
    body: t`لربط المزيد اطلب من ${workspace} رابطًا جديدًا.`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'تم هذا من قبل',
    body: t`سبق أن أرسلت هذا النموذج الخاص بـ ${tool}. لم يتكرر أي شيء.`,
  }),
  stillRunning: ({ tool }) => ({
    title: t`ما زلنا نتحقق مع ${tool}`,
    body: 'سبق أن أرسلت هذا النموذج. التحقق مستمر ولن يتكرر أي شيء.',
  }),
  rateLimited: ({ seconds }) => ({
    title: 'عدد الطلبات كبير',
    body: t`حاول مرة أخرى ${relativeTime(seconds)}. ما تم ربطه يبقى مرتبطًا.`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: 'عدد المحاولات الفاشلة كبير',
    body: t`رُفضت محاولات كثيرة من متصفحك أو شبكتك. حاول مرة أخرى ${relativeTime(seconds)}. ما تم ربطه يبقى مرتبطًا.`,
  }),
  notHere: () => ({
    title: 'لا يمكن عرض هذه الصفحة هنا',
    body: 'هذا الموقع ليس ضمن المواقع المسموح لها بعرضها. اطلب من الشركة التي تديره إضافته.',
  }),
  notOurs: () => ({
    title: 'تعذّر إرسال هذا النموذج',
    body: 'حفاظًا على أمانك لا نقبل إلا النماذج المرسلة من هذه الصفحة نفسها، لذلك لم يحدث شيء. افتح رابطك مرة أخرى وأرسل النموذج من هناك.',
  }),
  sessionStart: ({ workspace }) => ({
    title: t`يطلب ${workspace} منك ربط أداة`,
    body: t`تختار ما تريد ربطه في الصفحة التالية. تابع فقط إذا جئت من ${workspace}؛ بعد ذلك تعمل الصفحة في هذا المتصفح فقط.`,
  }),
  sessionStartOne: ({ workspace, tool }) => ({
    title: t`ربط ${tool} مع ${workspace}`,
    body: t`تابع فقط إذا جئت من ${workspace}؛ بعد ذلك تعمل الصفحة في هذا المتصفح فقط.`,
  }),
  sessionRefused: () => ({
    title: 'لا يمكن استخدام هذه الصفحة',
    body: 'تعمل مرة واحدة وفي متصفح واحد ولمدة محدودة. ارجع إلى المكان الذي جئت منه وابدأ من جديد.',
  }),
  sessionUsed: ({ workspace }) => ({
    title: 'استُخدم هذا الرابط من قبل',
    body: t`تم ما أُرسل من أجله. لربط شيء آخر، اطلب رابطًا جديدًا من ${workspace}.`,
  }),
  sessionElsewhere: ({ workspace }) => ({
    title: 'فُتح هذا الرابط في متصفح آخر',
    body: t`حفاظًا على أمانك، لا يعمل إلا في المتصفح الذي فتحه أولًا. تابع هناك، أو اطلب رابطًا جديدًا من ${workspace}.`,
  }),
  sessionRequired: () => ({
    title: 'تحتاج هذه الصفحة إلى دعوة',
    body: 'ارجع إلى التطبيق الذي أرسلك إلى هنا وابدأ منه.',
  }),
  wrongAddress: () => ({
    title: 'هذا الرابط غير صالح',
    body: 'لا يبيّن الرابط على نحو صحيح لمن هو، لذلك لم يحدث شيء. تواصل مع الشركة التي أرسلته.',
  }),
  notOffered: ({ workspace, tool }) => ({
    title: t`لم يعد ${tool} متاحًا هنا`,
    body: t`غيّرت ${workspace} هذا الرابط. لم يُربط شيء ولم نحفظ أي شيء مما أدخلته.`,
  }),
  wayChanged: ({ workspace, tool }) => ({
    title: t`أصبح ربط ${tool} يتم بطريقة أخرى`,
    body: t`غيّرت ${workspace} طريقة الربط. لم يُربط شيء ولم نحفظ أي شيء مما أدخلته.`,
  }),
  redirectNotAllowed: () => ({
    title: 'يعود هذا الرابط إلى عنوان غير مسموح به',
    body: 'لم تسمح الشركة التي أرسلت الرابط بهذا العنوان، لذلك لم يحدث شيء. تواصل مع تلك الشركة.',
  }),
  busy: () => ({
    title: 'لا يمكننا المتابعة الآن',
    body: 'المشكلة من جهتنا ولم يُربط أي شيء. انتظر دقيقة ثم ابدأ من جديد.',
  }),
  closed: () => ({
    title: 'يمكنك إغلاق هذه النافذة',
    body: 'ستُحدَّث الصفحة التي جئت منها تلقائيًا.',
  }),
  notKnown: () => ({
    title: 'انتهت صلاحية هذه الصفحة',
    body: 'سبق استخدامها أو مرّت 10 دقائق. عُد إلى حيث كنت وابدأ من جديد.',
  }),
  finished: () => ({
    title: 'تم هذا من قبل',
    body: 'يمكنك إغلاق هذه الصفحة. تبيّن الصفحة التي جئت منها ما إذا تم الربط.',
  }),
  otherBrowser: () => ({
    title: 'بدأ هذا في متصفح آخر',
    body: 'حفاظًا على أمانك أوقفنا العملية ولم يُربط أي شيء. ابدأ من جديد وابقَ في متصفح واحد. يجب السماح بملفات تعريف الارتباط.',
  }),
}
