import { createRoute, redirect } from '@tanstack/react-router'
import { appRoute } from './appRoute.tsx'

/** Sends bookmarks of an address that was renamed to its new form, search parameters included. */
export const movedRoute = <const Path extends string>(path: Path, to: string) =>
  createRoute({
    getParentRoute: () => appRoute,
    path,
    beforeLoad({ location }) {
      throw redirect({ href: location.href.replace(/^\/[^/?#]+/, to), replace: true })
    },
  })
