import { getFormatters } from '../formatters.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('ar')

/** Arabic: what is so, and what it means. */
export const arStates: Messages['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: 'لا يوجد ما يمكن ربطه بعد',
    body: t`لم تُضف ${workspace} أي أداة إلى هذا الرابط. اطلب من ${workspace} إضافة أداة.`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'لا يوجد ما يمكن ربطه هنا',
    body: t`طلبت ${workspace} أدوات غير متوفرة هنا. أخبر ${workspace} بذلك.`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'لا توجد أداة لتسجيل الدخول إليها',
    body: t`يقبل هذا الرابط فقط الأدوات التي تسجّل الدخول إليها، ولم تُجهّز ${workspace} أيًا منها. أخبر ${workspace} بذلك.`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: t`تسجيل الدخول إلى ${tool} غير جاهز بعد`,
    body: t`هذا من شأن ${workspace}. أخبر ${workspace} بذلك.`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: t`تطلب ${workspace} الارتباط بحسابك في ${tool}`,
    body: t`تسجّل الدخول في ${host} وترى هناك ما ستشاركه. لن ترى ${workspace} كلمة مرورك أبدًا.`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: t`تطلب ${workspace} الارتباط مجددًا بحسابك في ${tool}`,
    body: t`تسجّل الدخول في ${host} وترى هناك ما ستشاركه. لن ترى ${workspace} كلمة مرورك أبدًا.`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: t`أضافت ${workspace} أداة ${tool} بنفسها ولم يتحقق منها أحد غيرها. تابع فقط إذا كنت تعرف ${host}.`,
    body: t`يمكنك إلغاء الربط في أي وقت. إذا لم تطلب هذا فأغلق الصفحة: لن تحصل ${workspace} على شيء.`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: t`أكمل تسجيل الدخول إلى ${tool}`,
    body: t`${tool} مفتوح في نافذة أخرى. عندما تنتهي هناك ستتابع هذه الصفحة تلقائيًا.`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'حظر متصفحك النافذة',
    body: t`تابع إلى ${tool} في هذه الصفحة بدلًا من ذلك. ستعود إلى هنا عند الانتهاء.`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'حظر متصفحك النافذة',
    body: t`تابع إلى ${tool} في علامة تبويب جديدة بدلًا من ذلك. وعند الانتهاء تتابع هذه الصفحة تلقائيًا.`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'هل ما زالت النافذة مفتوحة؟',
    body: t`إن كانت مفتوحة فأكمل تسجيل الدخول إلى ${tool} فيها. وإلا فافتحها مرة أخرى. تتابع هذه الصفحة تلقائيًا.`,
  }),
  checking: ({ tool }) => ({
    title: t`جارٍ التحقق مع ${tool}`,
    body: 'يستغرق هذا بضع ثوانٍ. أبقِ هذه الصفحة مفتوحة.',
  }),
  slow: ({ tool }) => ({
    title: t`يستغرق ${tool} وقتًا أطول من المعتاد`,
    body: t`يمكنك الانتظار أو المحاولة لاحقًا. لن يُربط شيء حتى يرد ${tool}.`,
  }),
  offline: () => ({
    title: 'أنت غير متصل بالإنترنت',
    body: 'ما أدخلته لا يزال هنا. تحقق من اتصالك ثم حاول مرة أخرى.',
  }),
  connected: ({ tool, workspace }) => ({
    title: t`تم ربط ${tool}`,
    body: t`يمكنك إغلاق هذه الصفحة والعودة إلى ${workspace}.`,
  }),
  connectedAs: ({ tool, workspace, account }) => ({
    title: t`تم ربط ${tool}`,
    body: t`الحساب المرتبط: ${account}. يمكنك إغلاق هذه الصفحة والعودة إلى ${workspace}.`,
  }),
  failed: ({ tool }) => ({
    title: t`لم يتم ربط ${tool}`,
    body: 'لم تتم مشاركة أي شيء.',
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
    title: 'لا نعرف هذا الرابط',
    body: 'ربما ينقصه جزء. افتحه مرة أخرى من حيث حصلت عليه أو اطلب رابطًا جديدًا.',
  }),
  full: ({ workspace }) => ({
    title: 'استُنفد هذا الرابط',
    body: t`تم ربط كل ما يسمح به. اطلب من ${workspace} رابطًا جديدًا.`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'لقد ربطت كل ما يسمح به هذا الرابط',
    body: t`لربط المزيد اطلب من ${workspace} رابطًا جديدًا.`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'اكتمل هذا من قبل',
    body: t`وصلت إجابتك بشأن ${tool} من قبل واستُخدمت مرة واحدة. لم يتكرر أي شيء.`,
  }),
  stillRunning: ({ tool }) => ({
    title: t`ما زلنا نتحقق مع ${tool}`,
    body: 'لقد أرسلت هذا من قبل. العملية مستمرة ولن يتكرر أي شيء.',
  }),
  rateLimited: ({ seconds }) => ({
    title: 'كان ذلك أسرع من اللازم قليلًا',
    body: t`حاول مرة أخرى ${relativeTime(seconds)}. ما هو مرتبط يبقى مرتبطًا.`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: 'عدد المحاولات الفاشلة كبير',
    body: t`رُفضت محاولات كثيرة من هنا. حاول مرة أخرى ${relativeTime(seconds)}. ما هو مرتبط يبقى مرتبطًا.`,
  }),
  notHere: () => ({
    title: 'لا يمكن عرض هذه الصفحة هنا',
    body: 'الموقع الذي يحيط بها ليس ضمن المواقع المسموح لها بعرضها. اطلب من أصحابه إضافته.',
  }),
  notOurs: () => ({
    title: 'جاء هذا من صفحة أخرى',
    body: 'حفاظًا على أمانك لم نفعل شيئًا. افتح الرابط الذي حصلت عليه واستخدم الزر الموجود فيه.',
  }),
  wrongAddress: () => ({
    title: 'لم يُركَّب هذا الرابط على نحو صحيح',
    body: 'لا يبيّن الرابط كما يجب لمن هو، لذلك لم نفعل شيئًا. أخبر من أعطاك هذا الرابط.',
  }),
  notOffered: ({ tool, workspace }) => ({
    title: t`لم يعد ${tool} متاحًا هنا`,
    body: t`غيّرت ${workspace} هذا الرابط في هذه الأثناء. لم يُربط شيء ولم نحتفظ بأي شيء مما أدخلته.`,
  }),
  wayChanged: ({ tool, workspace }) => ({
    title: t`أصبح ربط ${tool} يتم بطريقة أخرى`,
    body: t`غيّرت ${workspace} ذلك في هذه الأثناء. لم يُربط شيء ولم نحتفظ بأي شيء مما أدخلته.`,
  }),
  redirectNotAllowed: () => ({
    title: 'يعود هذا الرابط إلى عنوان غير مسموح به',
    body: 'هذا العنوان ليس في القائمة، لذلك لم نفعل شيئًا. أخبر من أعطاك هذا الرابط.',
  }),
  busy: () => ({
    title: 'لا يمكننا المتابعة الآن',
    body: 'السبب من جهتنا ولم يُربط أي شيء. انتظر دقيقة ثم ابدأ من جديد.',
  }),
  closed: () => ({
    title: 'يمكنك إغلاق هذه النافذة',
    body: 'الصفحة التي جئت منها ستتابع تلقائيًا.',
  }),
  notKnown: () => ({
    title: 'لم تعد هذه الصفحة صالحة',
    body: 'استُخدمت من قبل أو مرّت 10 دقائق. عُد إلى حيث كنت وابدأ من جديد.',
  }),
  finished: () => ({
    title: 'اكتمل هذا من قبل',
    body: 'يمكنك إغلاق هذه الصفحة. سترى حيث كنت ما إذا تم الربط.',
  }),
  otherBrowser: () => ({
    title: 'بدأ هذا في متصفح آخر',
    body: 'حفاظًا على أمانك أوقفناه ولم يُربط أي شيء. ابدأ من جديد وابقَ في متصفح واحد. يجب السماح بملفات تعريف الارتباط.',
  }),
}
