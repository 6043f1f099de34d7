import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('fr')

/** French: one message per screen. */
export const frStates: Messages['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: 'Il n’y a encore rien à connecter',
    body: t`${workspace} n’a pas encore ajouté d’outil à ce lien. Demandez à ${workspace} d’en ajouter un.`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'Il n’y a rien à connecter ici',
    body: t`Ce lien demande des outils que ${workspace} ne propose pas. Contactez ${workspace}.`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'Aucun outil ne permet de se connecter',
    body: t`Ce lien n’accepte que les outils auxquels on se connecte, et ${workspace} n’en a configuré aucun. Contactez ${workspace}.`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: t`${tool} n’est pas encore configuré`,
    body: t`${workspace} doit configurer la connexion à ${tool} avant que vous puissiez l’utiliser ici. Contactez ${workspace}.`,
  }),
  appRemoved: ({ workspace, tool }) => ({
    title: t`${tool} ne peut pas être reconnecté pour le moment`,
    body: t`${workspace} doit d’abord configurer à nouveau la connexion à ${tool}. Votre connexion n’a pas changé. Contactez ${workspace}.`,
  }),
  toolGone: ({ workspace }) => ({
    title: 'Cet outil n’est plus disponible ici',
    body: t`${workspace} ne le propose plus. Rien n’a changé. Contactez ${workspace} si vous en avez encore besoin.`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: t`Connecter ${tool} à ${workspace}`,
    body: t`Vous vous connecterez sur ${host}, où vous verrez ce que vous partagez. ${workspace} ne voit jamais votre mot de passe.`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: t`Reconnecter ${tool} à ${workspace}`,
    body: t`Vous vous connecterez sur ${host}, où vous verrez ce que vous partagez. ${workspace} ne voit jamais votre mot de passe.`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} a créé cette connexion à ${tool} ; elle n’a pas été vérifiée. Ne continuez que si vous connaissez ${host}.`,
    body: t`Vous pouvez révoquer cet accès à tout moment. Si vous n’avez rien demandé, fermez cette page : rien n’est partagé avec ${workspace}.`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: t`Terminez la connexion à ${tool}`,
    body: t`${tool} est ouvert dans une autre fenêtre. Quand vous aurez terminé, cette page s’actualisera automatiquement.`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'Votre navigateur a bloqué la fenêtre',
    body: t`Continuez plutôt vers ${tool} dans cette page. Vous reviendrez ici ensuite.`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'Votre navigateur a bloqué la fenêtre',
    body: t`Continuez plutôt vers ${tool} dans un nouvel onglet. Ensuite, cette page s’actualisera automatiquement.`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'Connexion non terminée',
    body: t`La fenêtre de connexion à ${tool} semble fermée. Réessayez ou, si elle est encore ouverte, terminez-y : cette page s’actualisera automatiquement.`,
  }),
  checking: ({ tool }) => ({
    title: t`Vérification auprès de ${tool}`,
    body: 'Cela prend quelques secondes. Gardez cette page ouverte.',
  }),
  slow: ({ tool }) => ({
    title: t`${tool} met plus de temps que d’habitude`,
    body: t`Vous pouvez patienter ou réessayer plus tard. Rien n’est connecté tant que ${tool} n’a pas répondu.`,
  }),
  offline: () => ({
    title: 'Vous êtes hors ligne',
    body: 'Ce que vous avez saisi est toujours là. Vérifiez votre connexion à Internet, puis réessayez.',
  }),
  connected: ({ workspace, tool }) => ({
    title: t`${tool} est connecté`,
    body: t`Vous pouvez fermer cette page et revenir à ${workspace}.`,
  }),
  connectedAs: ({ workspace, tool, account }) => ({
    title: t`${tool} est connecté`,
    body: t`Connecté en tant que ${account}. Vous pouvez fermer cette page et revenir à ${workspace}.`,
  }),
  failed: ({ tool }) => ({
    title: t`${tool} n’a pas été connecté`,
    body: 'Rien n’est partagé.',
  }),
  alreadyConnected: ({ tool, account }) => ({
    title: t`Vous avez déjà connecté ${account}`,
    body: t`Mettez à jour la connexion existante à ${tool} ou ajoutez-en une autre. Rien ne change tant que vous n’avez pas choisi.`,
  }),
  expired: ({ workspace, at }) => ({
    title: t`Ce lien a expiré le ${day(at)}`,
    body: t`Demandez-en un nouveau à ${workspace}. Ce que vous avez déjà connecté le reste.`,
  }),
  revoked: ({ workspace }) => ({
    title: t`${workspace} a fermé ce lien`,
    body: t`Demandez-en un nouveau à ${workspace}. Ce que vous avez déjà connecté le reste.`,
  }),
  unknownLink: () => ({
    title: 'Ce lien est introuvable',
    body: 'Il en manque peut-être une partie. Rouvrez-le là où vous l’avez reçu ou demandez-en un nouveau.',
  }),
  full: ({ workspace }) => ({
    title: 'Ce lien a atteint sa limite',
    body: t`Tout ce qu’il permet est déjà connecté. Demandez-en un nouveau à ${workspace}.`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'Vous avez connecté tout ce que ce lien permet',
    body: t`Pour en connecter davantage, demandez un nouveau lien à ${workspace}.`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'C’est déjà fait',
    body: t`Vous avez déjà envoyé ce formulaire pour ${tool}. Rien n’a été fait en double.`,
  }),
  stillRunning: ({ tool }) => ({
    title: t`La vérification auprès de ${tool} est en cours`,
    body: 'Vous avez déjà envoyé ce formulaire. La vérification continue et rien n’est fait en double.',
  }),
  rateLimited: ({ seconds }) => ({
    title: 'Trop de requêtes',
    body: t`Réessayez ${relativeTime(seconds)}. Ce qui est déjà connecté le reste.`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: 'Trop de tentatives ont échoué',
    body: t`Trop de tentatives depuis votre navigateur ou votre réseau ont été refusées. Réessayez ${relativeTime(seconds)}. Ce qui est déjà connecté le reste.`,
  }),
  notHere: () => ({
    title: 'Cette page ne peut pas s’afficher ici',
    body: 'Ce site ne figure pas parmi ceux qui peuvent l’afficher. Demandez à l’entreprise qui le gère de l’ajouter.',
  }),
  notOurs: () => ({
    title: 'Ce formulaire n’a pas pu être envoyé',
    body: 'Pour votre sécurité, seuls les formulaires de cette page sont acceptés ; rien n’a donc été fait. Rouvrez votre lien et envoyez-y le formulaire.',
  }),
  sessionStart: ({ workspace }) => ({
    title: t`${workspace} vous invite à connecter un outil`,
    body: t`Vous choisirez quoi connecter à la page suivante. Continuez uniquement si vous venez de ${workspace} ; la page ne fonctionnera ensuite que dans ce navigateur.`,
  }),
  sessionStartOne: ({ workspace, tool }) => ({
    title: t`Connecter ${tool} à ${workspace}`,
    body: t`Continuez uniquement si vous venez de ${workspace} ; la page ne fonctionnera ensuite que dans ce navigateur.`,
  }),
  sessionRefused: () => ({
    title: 'Cette page ne peut pas être utilisée',
    body: 'Elle fonctionne une fois, dans un seul navigateur et pour une durée limitée. Retournez là d’où vous venez et recommencez.',
  }),
  sessionUsed: ({ workspace }) => ({
    title: 'Ce lien a déjà été utilisé',
    body: t`Ce à quoi il servait est fait. Pour connecter autre chose, demandez un nouveau lien à ${workspace}.`,
  }),
  sessionElsewhere: ({ workspace }) => ({
    title: 'Ce lien a été ouvert dans un autre navigateur',
    body: t`Pour votre sécurité, il ne fonctionne que dans le premier navigateur qui l’a ouvert. Continuez là-bas, ou demandez un nouveau lien à ${workspace}.`,
  }),
  sessionRequired: () => ({
    title: 'Cette page nécessite une invitation',
    body: 'Retournez dans l’application qui vous a envoyé ici et commencez à partir de là.',
  }),
  wrongAddress: () => ({
    title: 'Ce lien n’est pas valide',
    body: 'Il n’indique pas correctement à qui il est destiné ; rien n’a donc été fait. Contactez l’entreprise qui vous l’a envoyé.',
  }),
  notOffered: ({ workspace, tool }) => ({
    title: t`${tool} n’est plus disponible ici`,
    body: t`${workspace} a modifié ce lien. Rien n’est connecté et nous n’avons rien enregistré de votre saisie.`,
  }),
  wayChanged: ({ workspace, tool }) => ({
    title: t`${tool} se connecte désormais autrement`,
    body: t`${workspace} a modifié cette connexion. Rien n’est connecté et nous n’avons rien enregistré de votre saisie.`,
  }),
  redirectNotAllowed: () => ({
    title: 'Ce lien renvoie à une adresse non autorisée',
    body: 'L’entreprise qui vous l’a envoyé n’a pas autorisé cette adresse ; rien n’a donc été fait. Contactez cette entreprise.',
  }),
  busy: () => ({
    title: 'Nous ne pouvons pas continuer pour le moment',
    body: 'Le problème vient de nous et rien n’a été connecté. Attendez une minute, puis recommencez.',
  }),
  closed: () => ({
    title: 'Vous pouvez fermer cette fenêtre',
    body: 'La page d’où vous venez s’actualisera automatiquement.',
  }),
  notKnown: () => ({
    title: 'Cette page a expiré',
    body: 'Elle a déjà été utilisée ou 10 minutes se sont écoulées. Revenez à la page précédente et recommencez.',
  }),
  finished: () => ({
    title: 'C’est déjà fait',
    body: 'Vous pouvez fermer cette page. La page d’où vous venez indique si la connexion est établie.',
  }),
  adminConsent: () => ({
    title: 'L’autorisation de l’administrateur a été accordée',
    body: 'Rien n’est encore connecté. Retournez dans l’application que vous voulez connecter et commencez là-bas.',
  }),
  startedElsewhere: () => ({
    title: 'Cette connexion doit commencer ailleurs',
    body: 'L’application que vous voulez connecter ne l’a pas lancée : rien n’a été connecté. Ouvrez cette application et connectez-vous depuis celle-ci.',
  }),
  otherBrowser: () => ({
    title: 'Cela a commencé dans un autre navigateur',
    body: 'Pour votre sécurité, nous avons tout arrêté et rien n’a été connecté. Recommencez dans un seul navigateur. Les cookies doivent être autorisés.',
  }),
}
