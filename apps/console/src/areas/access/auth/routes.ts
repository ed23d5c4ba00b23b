import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { rootRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'
import { whoAmI } from '../../../session/session.tsx'

const gateRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'gate',
  component: lazyRouteComponent(() => import('./Gate.tsx'), 'Gate'),
})

/** Only a path of this console: an address must not redirect to another site. */
const nextPath = (given: unknown) => {
  const path = read.text(given)
  return path?.startsWith('/') && !path.startsWith('//') && !path.includes('\\') ? path : undefined
}

// Outside the calls of createRoute, where TypeScript infers their types.
const loginSearch = read.searchOf({
  next: nextPath,
  ended: read.oneOf('expired', 'signed-out'),
  /** Why a sign-in through an identity provider failed. */
  error: read.text,
  /** The organization through whose provider to sign in. */
  org: read.id,
})
const secondFactorSearch = read.searchOf({ next: nextPath })

const loginRoute = createRoute({
  getParentRoute: () => gateRoute,
  path: '/login',
  validateSearch: loginSearch,
  async beforeLoad({ context, search }) {
    const me = await whoAmI(context.queries).catch(() => null)
    if (me) throw redirect({ href: search.next ?? '/', replace: true })
  },
  component: lazyRouteComponent(() => import('./LoginPage.tsx'), 'LoginPage'),
})

const secondFactorRoute = createRoute({
  getParentRoute: () => gateRoute,
  path: '/second-factor',
  validateSearch: secondFactorSearch,
  async beforeLoad({ context, search }) {
    const me = await whoAmI(context.queries)
    if (me === null) throw redirect({ to: '/login', search: { next: search.next } })
    if (!me.mfaEnrollmentRequired) throw redirect({ href: search.next ?? '/', replace: true })
  },
  component: lazyRouteComponent(() => import('./SecondFactorPage.tsx'), 'SecondFactorPage'),
})

const page = <const Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => gateRoute, path, component })

export const authRoutes = [
  gateRoute.addChildren([
    loginRoute,
    secondFactorRoute,
    page(
      '/forgot-password',
      lazyRouteComponent(() => import('./ForgotPasswordPage.tsx'), 'ForgotPasswordPage'),
    ),
    page(
      '/reset-password',
      lazyRouteComponent(() => import('./ResetPasswordPage.tsx'), 'ResetPasswordPage'),
    ),
    page(
      '/accept-invite',
      lazyRouteComponent(() => import('./AcceptInvitePage.tsx'), 'AcceptInvitePage'),
    ),
    page(
      '/register-partner',
      lazyRouteComponent(() => import('./RegisterPartnerPage.tsx'), 'RegisterPartnerPage'),
    ),
    page(
      '/verify-email',
      lazyRouteComponent(() => import('./VerifyEmailPage.tsx'), 'VerifyEmailPage'),
    ),
  ]),
] as const
