import { createTextTag, getFormatters } from '../localized-text.ts'
import type { Translation } from '../messages.ts'

const LOCALE = 'ar'
const THIS_APP = 'هذه الخدمة'
const { day, daysAgo, minute, number, plural, relativeTime } = getFormatters(LOCALE)
const t = createTextTag(THIS_APP)

/** Arabic, polite; written from right to left. */
export const ar = {
  locale: LOCALE,
  direction: 'rtl',
  technicalTerms: /oauth|حزمة|بيانات الاعتماد|مصادقة|المزود|!/i,
  secured: 'محمي بواسطة Linchpin',
  privacy: 'الخصوصية',
  terms: 'الشروط',
  thisApp: THIS_APP,
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
    newScopes: ({ workspace }) => t`جديد: سيتمكن ${workspace} أيضًا من:`,
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
  states: {
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
    chooseFacts: ({ tool }) => ({
      title: t`اختر ما تريد ربطه في ${tool}`,
      body: t`يشمل وصولك إلى ${tool} أكثر من خيار.`,
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
    adminConsent: () => ({
      title: 'مُنح إذن المسؤول',
      body: 'لم يُربط أي شيء بعد. ارجع إلى التطبيق الذي تريد ربطه وابدأ من هناك.',
    }),
    startedElsewhere: () => ({
      title: 'يجب أن يبدأ تسجيل الدخول هذا من مكان آخر',
      body: 'لم يبدأه التطبيق الذي تريد ربطه، لذلك لم يُربط أي شيء. افتح ذلك التطبيق واربط من هناك.',
    }),
    otherBrowser: () => ({
      title: 'بدأ هذا في متصفح آخر',
      body: 'حفاظًا على أمانك أوقفنا العملية ولم يُربط أي شيء. ابدأ من جديد وابقَ في متصفح واحد. يجب السماح بملفات تعريف الارتباط.',
    }),
  },
  portal: {
    start: ({ workspace }) => ({
      title: t`اتصالاتك مع ${workspace}`,
      body: t`تعرض الصفحة التالية ما ربطته مع ${workspace}. تابع فقط إذا جئت إلى هنا من ${workspace}؛ بعد ذلك تعمل هذه الصفحة في هذا المتصفح فقط.`,
    }),
    title: ({ workspace }) => t`اتصالاتك مع ${workspace}`,
    body: 'افصل ما لم تعد بحاجة إليه.',
    attention: ({ count, total }) => `يحتاج إلى انتباهك: ${number(count)} من ${number(total)}`,
    none: ({ workspace }) => ({
      title: 'لا توجد أدوات مربوطة',
      body: t`تظهر هنا الأدوات التي تربطها مع ${workspace}.`,
    }),
    signedInAs: ({ account }) => t`تم تسجيل الدخول باسم ${account}`,
    connectedOn: ({ at }) => `تم الربط في ${day(at)}`,
    lastUsedOn: ({ at }) => `آخر استخدام في ${day(at)}`,
    lastUsedAgo: ({ count }) => `آخر استخدام: ${daysAgo(count)}`,
    neverUsed: 'لم يُستخدم بعد',
    active: 'يعمل',
    unchecked: 'لم يُتحقق منه بعد',
    needsReauth: 'توقف عن العمل. اربطه من جديد.',
    error: ({ workspace }) => t`لا يعمل الآن. على ${workspace} إصلاحه.`,
    pending: ({ workspace }) => t`في انتظار تأكيد ${workspace}`,
    more: ({ tool, account }) => t`المزيد عن ${tool}: ${account}`,
    disconnect: 'فصل',
    disconnectAccount: ({ tool, account }) => t`فصل ${tool}: ${account}`,
    reconnect: 'إعادة الربط',
    reconnectAccount: ({ tool, account }) => t`إعادة ربط ${tool}: ${account}`,
    connectFirst: 'ربط أداة',
    showMore: 'عرض المزيد',
    yourConnections: 'اتصالاتك',
    ask: ({ tool, workspace }) => ({
      title: t`هل تريد فصل ${tool}؟`,
      body: t`لن يستطيع ${workspace} بعد ذلك استخدام هذا الاتصال، وسيُمحى ما خزّناه. يمكنك ربط ${tool} من جديد في أي وقت.`,
    }),
    confirm: ({ tool }) => t`فصل ${tool}`,
    keep: 'إبقاء الاتصال',
    disconnected: ({ tool }) => t`تم فصل ${tool}`,
    revoked: ({ tool }) => t`أكد ${tool} إلغاء الوصول، ومحونا ما خزّناه.`,
    revocationUnsupported: ({ tool }) =>
      t`محونا ما خزّناه. لا يتيح لنا ${tool} إلغاء الوصول؛ يمكنك إلغاؤه في إعداداتك في ${tool}.`,
    revocationFailed: ({ tool }) =>
      t`محونا ما خزّناه، لكن ${tool} لم يؤكد إلغاء الوصول. للتأكد، أزِله من إعداداتك في ${tool}.`,
    grantShared: ({ tool }) =>
      t`محونا ما خزّناه. يستخدم اتصال آخر تسجيل الدخول نفسه إلى ${tool}؛ يُلغى الوصول عندما تفصل ذلك الاتصال أيضًا.`,
    nothingToRevoke: ({ tool }) =>
      t`محونا ما خزّناه. إذا أنشأت مفتاحًا لهذا الغرض، فاحذفه من إعداداتك في ${tool}.`,
    gone: () => ({
      title: 'لم يعد هذا الاتصال في القائمة',
      body: 'ربما فُصل من قبل. لم يتغير شيء.',
    }),
    agents: {
      link: 'مساعدو الذكاء الاصطناعي',
      ofAccount: ({ tool, account }) => t`مساعدو الذكاء الاصطناعي و${tool}: ${account}`,
      ask: ({ tool, workspace }) => ({
        title: t`ماذا يمكن لمساعدي الذكاء الاصطناعي أن يفعلوا في ${tool}؟`,
        body: t`يمكن لمساعدي الذكاء الاصطناعي في ${workspace} استخدام هذا الاتصال ضمن الحدود التي يضعها ${workspace}. يمكنك تقييدهم أكثر.`,
      }),
      label: 'يمكن لمساعدي الذكاء الاصطناعي',
      access: {
        full: 'القراءة والتغيير',
        read_only: 'القراءة فقط',
        paused: 'عدم فعل أي شيء',
      },
      save: 'حفظ',
      saved: 'تم الحفظ. يسري هذا من الآن.',
      restricted: {
        read_only: 'يمكن لمساعدي الذكاء الاصطناعي القراءة فقط',
        paused: 'متوقف مؤقتًا لمساعدي الذكاء الاصطناعي',
      },
      recent: 'أحدث الطلبات',
      none: 'لا شيء بعد.',
      read: 'قراءة',
      changed: 'أُرسل',
      refused: 'لم يُرسل',
      at: ({ at }) => minute(at),
    },
  },
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
  setup: {
    start: ({ tool, workspace }) => ({
      title: t`إعداد ${tool} من أجل ${workspace}`,
      body: t`هذه الصفحة لمن يدير ${tool} في مؤسستك. بعد المتابعة ستعمل في هذا المتصفح فقط.`,
    }),
    form: ({ tool, workspace }) => ({
      title: t`إعداد ${tool} من أجل ${workspace}`,
      body: t`يتصل ${workspace} بـ ${tool} عبر تطبيق خاص بكم. أنشئه في ${tool} ثم أدخل بياناته هنا.`,
    }),
    steps: ({ tool }) => t`في ${tool}`,
    createApp: ({ tool }) => t`أنشئ تطبيقًا في إعدادات المطورين في ${tool}.`,
    enterAddress: 'أدخل عنوان إعادة التوجيه أدناه كعنوان مسموح به.',
    copyDetails: 'انسخ معرّف العميل وسر العميل.',
    redirectUri: 'عنوان إعادة التوجيه',
    redirectUriHelp: 'انسخه كما هو، دون شرطة مائلة في آخره.',
    scopes: 'الأذونات التي يحتاجها التطبيق',
    details: 'بيانات التطبيق',
    clientId: 'معرّف العميل',
    clientSecret: 'سر العميل',
    clientSecretHelp: 'اتركه فارغًا إن لم يكن للتطبيق سر.',
    check: 'تحقق واحفظ',
    saveAnyway: 'احفظ على أي حال',
    note: ({ tool }) => t`يُحفظ السر مشفرًا ولا يُرسل إلا إلى ${tool}.`,
    failed: 'وجد التحقق مشكلة ولم يُحفظ شيء. صححها وأدخل السر من جديد، أو احفظ على أي حال.',
    problems: {
      client: ({ tool }) => t`لا يعرف ${tool} معرّف العميل هذا، أو أن السر خاطئ.`,
      unreachable: ({ tool }) => t`لم يستجب ${tool} للتحقق.`,
      redirectUri: ({ tool }) =>
        t`لا يقبل ${tool} عنوان إعادة التوجيه. أدخل في التطبيق العنوان أعلاه كما هو.`,
      notAllowed: ({ workspace }) =>
        t`لا يجوز إرسال السر إلى هذا العنوان بعد. اطلب من ${workspace} السماح به.`,
    },
    saved: ({ tool, workspace }) => ({
      title: t`تم إعداد ${tool}`,
      body: t`من الآن تربط مؤسستك ${tool} بـ ${workspace} عبر تطبيقكم. يمكنك ربطه الآن.`,
    }),
    connectNow: 'اربط الآن',
  },
  agent: {
    start: ({ workspace }) => ({
      title: 'مساعد ينتظر إجابتك',
      body: t`يريد مساعد يعمل لأجلك القيام بشيء لا يسمح به سواك. تابع إلى ${workspace} لنتأكد من أنك أنت، ثم سترى ما هو.`,
    }),
    review: ({ workspace, tool }) => ({
      title: t`هل تسمح بهذا في ${tool}؟`,
      body: t`يريد مساعد في ${workspace} إرسال هذا بالضبط إلى ${tool}. يُرسَل مرة واحدة، وفقط إذا سمحت به.`,
    }),
    as: ({ account }) => t`باستخدام اتصالك ${account}`,
    details: 'التفاصيل',
    content: 'المحتوى',
    file: ({ count }) => `ملف حجمه ${number(count)} بايت، ولا يمكننا عرضه.`,
    allow: 'السماح مرة واحدة',
    deny: 'عدم السماح',
    allowed: () => ({
      title: 'تم السماح',
      body: 'يمكن للمساعد القيام بذلك مرة واحدة خلال عشر دقائق من سؤاله. يمكنك إغلاق هذه الصفحة.',
    }),
    denied: () => ({
      title: 'لم يُسمح',
      body: 'لم يُرسَل أي شيء. يمكنك إغلاق هذه الصفحة.',
    }),
    wrongPerson: ({ workspace }) => ({
      title: 'هذا موجّه إلى شخص آخر',
      body: t`لست الشخص الذي يسأله المساعد، لذلك لم يُعرض أي شيء ولم يُسمح به. إذا أرسل إليك أحدهم هذا الرابط، فأخبر ${workspace}.`,
    }),
    ended: () => ({
      title: 'انتهى هذا السؤال',
      body: 'تمت الإجابة عنه، أو استغرق وقتًا طويلًا، أو فُتح في متصفح آخر. اطلب من المساعد المحاولة مرة أخرى.',
    }),
  },
  consent: {
    ask: ({ client, workspace }) => ({
      title: t`هل تسمح لـ ${client} باستخدام اتصالاتك؟`,
      body: t`${client} ليس جزءًا من ${workspace}. إذا سمحت، فسيمكنه استخدام ما ربطته بـ ${workspace} الآن ولاحقًا، إلى أن تُنهي ${workspace} ذلك.`,
    }),
    from: ({ host }) => t`ما يقوله عن نفسه منشور على ${host}.`,
    unverified: 'سجّل نفسه بنفسه، ولم يتحقق أحد من اسمه.',
    to: ({ host }) => t`تُرسل إجابتك إلى ${host}.`,
    local:
      'تُرسل إجابتك إلى برنامج على هذا الجهاز. لا تسمح إلا إذا كنت قد بدأت للتو تسجيل الدخول فيه.',
    accounts: ({ workspace }) => t`اتصالاتك بـ ${workspace}`,
    noAccounts: 'لا شيء بعد',
    more: 'وغيرها',
    allowRead: 'السماح بالقراءة',
    allowWrite: 'السماح بالقراءة والتغيير',
  },
  sandbox: {
    title: 'تسجيل الدخول إلى Acme Sandbox',
    body: 'أداة للاختبار. الأشخاص والتذاكر فيها خياليون، ولا يغادر أي شيء هذه الخدمة.',
    access: 'يطلب Linchpin قراءة التذاكر وإنشاءها.',
    as: ({ account }) => `المتابعة باسم ${account}`,
    deny: 'رفض',
    invalid: {
      title: 'لا يمكن متابعة تسجيل الدخول هذا',
      body: 'الطلب غير مكتمل. ارجع وابدأ من جديد.',
    },
  },
  host: {
    title: 'ربط أداة',
    loading: 'جارٍ التحميل',
    failed: 'تعذّر الفتح. أغلق النافذة وحاول مرة أخرى بعد قليل.',
    notAllowed: 'لا يمكن فتح هذا هنا. اطلب من الشركة التي تدير هذا الموقع السماح بذلك.',
    close: 'إغلاق',
  },
  labels: {
    'access token': 'رمز الوصول',
    'account id': 'معرّف الحساب',
    'account sid': 'معرّف SID للحساب',
    address: 'العنوان',
    'admin api access token': 'رمز الوصول إلى Admin API',
    'api access token': 'رمز الوصول إلى API',
    'data center': 'مركز البيانات',
    'account name': 'اسم الحساب',
    'access key': 'مفتاح الوصول',
    'private key': 'المفتاح الخاص',
    'private api key': 'مفتاح API الخاص',
    'public key': 'المفتاح العام',
    'app id': 'معرّف التطبيق',
    'app api key': 'مفتاح API للتطبيق',
    instance: 'المثيل',
    workspace: 'مساحة العمل',
    'european union': 'الاتحاد الأوروبي',
    'api key': 'مفتاح API',
    'api secret': 'سر API',
    'api token': 'رمز API',
    'application key': 'مفتاح التطبيق',
    'auth token': 'رمز Auth',
    'bot token': 'رمز البوت',
    'client credentials': 'معرّف العميل وسره',
    'client id': 'معرّف العميل',
    'client identifier': 'معرّف العميل',
    'client secret': 'سر العميل',
    'company domain': 'نطاق الشركة',
    'consumer key': 'مفتاح المستهلك',
    'consumer secret': 'سر المستهلك',
    domain: 'النطاق',
    'e-mail': 'البريد الإلكتروني',
    email: 'البريد الإلكتروني',
    'email address': 'البريد الإلكتروني',
    'enterprise id': 'معرّف المؤسسة',
    environment: 'البيئة',
    host: 'المضيف',
    'key secret': 'سر المفتاح',
    'key sid': 'معرّف SID للمفتاح',
    name: 'الاسم',
    organization: 'المؤسسة',
    password: 'كلمة المرور',
    'personal access token': 'رمز الوصول الشخصي',
    'personal api token': 'رمز API الشخصي',
    'personal token': 'الرمز الشخصي',
    port: 'المنفذ',
    'project id': 'معرّف المشروع',
    'public api token': 'رمز API العامة',
    region: 'المنطقة',
    scopes: 'الأذونات',
    secret: 'السر',
    'secret key': 'المفتاح السري',
    'secret or restricted key': 'مفتاح سري أو مقيّد',
    server: 'الخادم',
    'server api token': 'رمز API للخادم',
    'server to server': 'خادم إلى خادم',
    'service account': 'حساب الخدمة',
    'service key': 'مفتاح الخدمة',
    'service region': 'منطقة الخدمة',
    site: 'الموقع',
    store: 'المتجر',
    'store address': 'عنوان المتجر',
    subdomain: 'النطاق الفرعي',
    tenant: 'المستأجر',
    token: 'الرمز',
    url: 'عنوان URL',
    'user id': 'معرّف المستخدم',
    'user name': 'اسم المستخدم',
    username: 'اسم المستخدم',
    australia: 'أستراليا',
    canada: 'كندا',
    china: 'الصين',
    europe: 'أوروبا',
    india: 'الهند',
    japan: 'اليابان',
    'saudi arabia': 'السعودية',
    'united arab emirates': 'الإمارات العربية المتحدة',
    'united kingdom': 'المملكة المتحدة',
    'united states': 'الولايات المتحدة',
    global: 'عالمي',
    demo: 'تجريبي',
    live: 'فعلي',
    production: 'الإنتاج',
    sandbox: 'بيئة الاختبار',
    standard: 'قياسي',
  },
} satisfies Translation
