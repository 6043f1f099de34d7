import { getFormatters } from './language.ts'
import { t } from './localized-text.ts'
import type { Messages } from './messages.ts'
import { arPortal } from './portal/ar.ts'
import { arStates } from './states/ar.ts'

const { number, plural } = getFormatters('ar')

/** Arabic, polite; written from right to left. */
export const ar: Messages = {
  secured: 'محمي بواسطة Linchpin',
  privacy: 'الخصوصية',
  terms: 'الشروط',
  thisApp: 'هذه الخدمة',
  action: {
    back: 'رجوع',
    close: 'إغلاق',
    cancel: 'إلغاء',
    done: 'تم',
    tryAgain: 'حاول مرة أخرى',
    continue: 'متابعة',
    startAgain: 'ابدأ من جديد',
    checkAgain: 'تحقق مرة أخرى',
    chooseAnother: 'اختر أداة أخرى',
    connectAnother: 'اربط أداة أخرى',
    updateConnection: 'تحديث الاتصال',
    addConnection: 'إضافة اتصال آخر',
    openAgain: 'افتح النافذة مرة أخرى',
    connect: ({ tool }) => t`اربط ${tool}`,
    continueTo: ({ tool }) => t`تابع إلى ${tool}`,
    returnTo: ({ workspace }) => t`العودة إلى ${workspace}`,
    returning: ({ workspace }) => t`جارٍ العودة إلى ${workspace}…`,
    stay: 'البقاء في هذه الصفحة',
  },
  picker: {
    title: ({ workspace }) => t`اربط أدواتك مع ${workspace}`,
    body: 'اختر أداة. لن تتم مشاركة أي شيء قبل أن تربطها.',
    search: 'ابحث في الأدوات',
    searchButton: 'بحث',
    skip: 'الانتقال إلى الأدوات',
    clear: 'عرض كل الأدوات',
    categories: 'الفئات',
    all: 'الكل',
    resultCount: ({ count }) =>
      plural(count, {
        zero: 'لا توجد أدوات',
        one: 'أداة واحدة',
        two: 'أداتان',
        few: `${number(count)} أدوات`,
        many: `${number(count)} أداة`,
        other: `${number(count)} أداة`,
      }),
    noMatch: ({ query }) => ({
      title: t`لا توجد أداة تطابق «${query}»`,
      body: 'تحقق من الإملاء أو جرّب كلمة أقصر.',
    }),
    connectedHere: 'تم ربطها الآن',
    connected: 'مرتبط',
    custom: 'خاصة',
    test: 'للاختبار',
    category: {
      accounting: 'المحاسبة',
      ai: 'الذكاء الاصطناعي',
      analytics: 'التحليلات',
      ats: 'التوظيف',
      calendar: 'التقويم',
      crm: 'إدارة علاقات العملاء (CRM)',
      developer_tools: 'التطوير',
      documentation: 'التوثيق',
      hris: 'الموارد البشرية',
      identity: 'الهوية',
      mail: 'البريد الإلكتروني',
      marketing: 'التسويق',
      messaging: 'التواصل',
      other: 'أخرى',
      payments: 'المدفوعات',
      project_management: 'إدارة المشاريع',
      social: 'التواصل الاجتماعي',
      storage: 'الملفات',
      support: 'الدعم',
      ticketing: 'التذاكر',
    },
  },
  auth: {
    title: ({ tool }) => t`كيف تريد ربط ${tool}؟`,
    body: 'اختر ما هو أسهل لك. يمكنك إلغاء الربط في أي وقت.',
    signIn: ({ tool }) => t`سجّل الدخول إلى ${tool}`,
    signInLine: ({ host }) => t`سجّل الدخول في ${host}. لا حاجة إلى نسخ أي شيء.`,
    recommended: 'موصى به',
    apiKey: 'استخدم مفتاح API',
    apiKeyLine: ({ tool }) => t`انسخ مفتاحًا من إعداداتك في ${tool}.`,
    tokenLine: ({ tool }) => t`انسخ رمز وصول من إعداداتك في ${tool}.`,
    token: 'استخدم رمز وصول',
    password: 'استخدم اسم المستخدم وكلمة المرور',
    passwordLine: 'نحفظ كلمة مرورك مشفّرة.',
    fieldsLine: ({ label }) => t`تحتاج إلى: ${label}.`,
    scopes: ({ workspace }) => t`سيتمكن ${workspace} من:`,
    moreScopes: ({ count }) => `${number(count)} أخرى`,
    other: ({ label }) => t`استخدم ${label}`,
  },
  form: {
    title: ({ tool, workspace }) => t`اربط ${tool} مع ${workspace}`,
    reconnectTitle: ({ tool, workspace }) => t`أعد ربط ${tool} مع ${workspace}`,
    change: 'تغيير',
    body: ({ workspace, tool }) =>
      t`ستتمكن ${workspace} من فعل كل ما تسمح به هذه البيانات في ${tool}. نتحقق منها مع ${tool} ونحفظها مشفّرة. يمكنك إلغاء الربط في أي وقت.`,
    bodyForKey: ({ workspace, tool }) =>
      t`ستتمكن ${workspace} من فعل كل ما يسمح به هذا المفتاح في ${tool}. نتحقق منه مع ${tool} ونحفظه مشفّرًا. يمكنك إلغاء الربط في أي وقت.`,
    custom: ({ workspace, tool }) =>
      t`أنشأت ${workspace} هذا الربط مع ${tool} بنفسها ولم تتم مراجعته. تابع فقط إذا كنت تثق به.`,
    optional: 'اختياري',
    choose: 'اختر',
    show: 'إظهار',
    hide: 'إخفاء',
    showField: ({ label }) => t`إظهار ${label}`,
    hideField: ({ label }) => t`إخفاء ${label}`,
    whereToFind: 'أين أجد هذا؟',
    newWindow: 'يُفتح في نافذة جديدة',
    fieldErrors: ({ count }) =>
      plural(count, {
        one: 'تحقق من حقل واحد',
        two: 'تحقق من حقلين',
        few: `تحقق من ${number(count)} حقول`,
        many: `تحقق من ${number(count)} حقلًا`,
        other: `تحقق من ${number(count)} حقل`,
      }),
    reenterSecrets: 'حفاظًا على أمانك لا تحتفظ هذه الصفحة بالمفاتيح وكلمات المرور. أدخلها مرة أخرى.',
    sessionLost:
      'بقيت هذه الصفحة مفتوحة أطول من اللازم، أو أن ملفات تعريف الارتباط محظورة. لم يُرسل شيء. راجع النموذج ثم أرسله مرة أخرى.',
    missing: ({ label }) => t`يُرجى إدخال: ${label}`,
    notChosen: ({ label }) => t`يُرجى اختيار: ${label}`,
    notEmail: 'أدخل عنوان بريد إلكتروني كاملًا، مثل name@example.com',
    notUrl: 'أدخل عنوانًا كاملًا، مثل https://example.com',
    notNumber: 'أدخل رقمًا',
    notDate: 'أدخل تاريخًا',
    tooShort: ({ count }) => `الحد الأدنى لعدد الأحرف: ${number(count)}`,
    tooLong: ({ count }) => `الحد الأقصى لعدد الأحرف: ${number(count)}`,
    tooSmall: ({ count }) => `أدخل ${number(count)} أو أكثر`,
    tooLarge: ({ count }) => `أدخل ${number(count)} أو أقل`,
    patternMismatch: ({ label }) => t`تحقق من ${label}: الصيغة غير صحيحة`,
    example: ({ label }) => t`مثال: ${label}`,
    linesHelp: 'أدخل عنصرًا واحدًا في كل سطر.',
    jsonHelp: 'أدخله بصيغة JSON.',
  },
  states: arStates,
  portal: arPortal,
  failures: {
    access_denied: () => 'رُفض الوصول. لم تتم مشاركة أي شيء. إذا كان ذلك خطأ فابدأ من جديد.',
    admin_consent_granted: ({ tool }) =>
      t`منح مسؤول في ${tool} الإذن، لكن لم يسجّل أحد الدخول بعد. ابدأ من جديد لربط حسابك.`,
    already_connected: ({ tool }) =>
      t`سبق أن ربطت ${tool} بهذا الحساب. ابدأ من جديد لتحديث ذلك الاتصال أو لإضافة اتصال آخر.`,
    authorization_request_failed: ({ workspace, tool }) =>
      t`لم يقبل ${tool} طلب تسجيل الدخول. لم تتم مشاركة أي شيء. تواصل مع ${workspace} لأن إصلاح ذلك بيدها وحدها.`,
    cancelled: ({ tool }) =>
      t`ألغيت الأمر قبل أن يستجيب ${tool}. لم يُربط شيء. ابدأ من جديد متى شئت.`,
    credentials_rejected: ({ workspace, tool }) =>
      t`لم يقبل ${tool} ما أدخلته. تحقق منه ثم حاول مرة أخرى. هل ما زالت المشكلة قائمة؟ تواصل مع ${workspace}.`,
    egress_unavailable: ({ workspace, tool }) =>
      t`تعذّر علينا الوصول إلى ${tool} بسبب مشكلة في الشبكة من جهتنا. حاول مرة أخرى بعد بضع دقائق. هل ما زالت المشكلة قائمة؟ تواصل مع ${workspace}.`,
    identity_mismatch: ({ tool }) =>
      t`سجّلت الدخول إلى ${tool} بحساب مختلف عن المرة السابقة. سجّل الخروج هناك ثم ابدأ من جديد بالحساب نفسه.`,
    insufficient_scope: ({ tool }) =>
      t`قبل ${tool} هذا المفتاح لكن صلاحياته لا تكفي. امنحه صلاحيات أكثر في ${tool} أو استخدم مفتاحًا آخر.`,
    integration_failed: ({ workspace, tool }) =>
      t`تعذّر ربط ${tool} بسبب خطأ من جهتنا. حاول مرة أخرى؛ إذا تكرر ذلك فتواصل مع ${workspace}.`,
    integration_timeout: ({ workspace, tool }) =>
      t`استغرق ربط ${tool} وقتًا أطول من اللازم. حاول مرة أخرى؛ إذا تكرر ذلك فتواصل مع ${workspace}.`,
    key_rejected: ({ workspace, tool }) =>
      t`لم يقبل ${tool} هذا المفتاح. تأكد من أنك نسخته كاملًا أو أنشئ مفتاحًا جديدًا. هل ما زالت المشكلة قائمة؟ تواصل مع ${workspace}.`,
    link_expired: ({ workspace }) => t`انتهت صلاحية هذا الرابط. اطلب من ${workspace} رابطًا جديدًا.`,
    link_full: ({ workspace }) => t`بلغ هذا الرابط حدّه الأقصى. اطلب من ${workspace} رابطًا جديدًا.`,
    link_identifier_full: ({ workspace }) =>
      t`لقد ربطت كل ما يسمح به هذا الرابط. اطلب من ${workspace} رابطًا جديدًا.`,
    link_revoked: ({ workspace }) => t`أغلقت ${workspace} هذا الرابط. اطلب رابطًا جديدًا.`,
    oauth_app_missing: ({ workspace, tool }) =>
      t`لم يتم إعداد تسجيل الدخول إلى ${tool} بعد. اطلب من ${workspace} إعداده.`,
    oauth_attempt_invalid: ({ workspace }) =>
      t`غيّرت ${workspace} شيئًا في هذه الأثناء. ارجع وابدأ من جديد.`,
    oauth_issuer_mismatch: ({ tool }) =>
      t`لم يأتِ الرد من الموقع الذي سجّلت فيه الدخول إلى ${tool}. حفاظًا على أمانك أوقفنا العملية. ابدأ من جديد.`,
    other_browser: ({ tool }) =>
      t`سجّلت الدخول إلى ${tool} في متصفح آخر. حفاظًا على أمانك أوقفنا العملية. ابدأ من جديد وابقَ في متصفح واحد.`,
    oauth_start_revoked: ({ workspace, tool }) =>
      t`سحبت ${workspace} هذا الطلب، لذلك لم يتم ربط ${tool}. تواصل مع ${workspace} إذا كنت لا تزال تريد ربطه.`,
    provider_error: ({ tool }) => t`لا يستجيب ${tool} الآن. حاول مرة أخرى بعد بضع دقائق.`,
    provider_timeout: ({ tool }) =>
      t`استغرق ${tool} وقتًا أطول من اللازم للرد. حاول مرة أخرى بعد بضع دقائق.`,
    rate_limited: ({ tool }) => t`يحدّ ${tool} من عدد الطلبات الآن. انتظر دقيقة ثم حاول مرة أخرى.`,
    sign_in_overdue: ({ tool }) =>
      t`لم يكتمل تسجيل الدخول إلى ${tool} خلال 10 دقائق. ابدأ من جديد عندما تكون مستعدًا.`,
    sign_in_rejected: ({ workspace, tool }) =>
      t`سجّلت الدخول، لكن ${tool} رفض بعد ذلك الوصول الذي منحه. ابدأ من جديد؛ إذا تكرر ذلك فتواصل مع ${workspace}.`,
    window_replaced: ({ tool }) =>
      t`فتحت ${tool} من جديد في نافذة أخرى. أغلق هذه النافذة وتابع هناك.`,
    wrong_host: ({ tool }) =>
      t`لا يوجد ${tool} في هذا العنوان. تحقق منه أو انسخه من متصفحك وأنت مسجّل الدخول.`,
    unknown: ({ workspace, tool }) =>
      t`أرسل ${tool} ردًا غير متوقع. ابدأ من جديد؛ إذا تكرر ذلك فتواصل مع ${workspace}.`,
  },
}
