import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const language = read.oneOf('bash', 'sh', 'zsh', 'python', 'powershell', 'cmd', 'osascript')
const osType = read.oneOf('linux', 'macos', 'windows')

const scriptsSearch = read.searchOf({
  page: read.whole,
  q: read.text,
  language,
  os: osType,
  category: read.id,
  tag: read.text,
  source: read.oneOf('partner', 'organization'),
  form: read.oneOf('new'),
})

const scriptSearch = read.searchOf({
  tab: read.oneOf('runs', 'versions', 'usage'),
  page: read.whole,
  severity: read.oneOf('success', 'info', 'warning', 'error', 'critical'),
  state: read.text,
  run: read.id,
  version: read.id,
})

const librarySearch = read.searchOf({
  tab: read.oneOf('templates'),
  page: read.whole,
  q: read.text,
  language,
  os: osType,
})

export const scriptRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/scripts',
    validateSearch: scriptsSearch,
    component: lazyRouteComponent(() => import('./ScriptsPage.tsx'), 'ScriptsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/scripts/library',
    validateSearch: librarySearch,
    component: lazyRouteComponent(() => import('./library/LibraryPage.tsx'), 'LibraryPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/scripts/$scriptId',
    validateSearch: scriptSearch,
    component: lazyRouteComponent(() => import('./ScriptPage.tsx'), 'ScriptPage'),
  }),
] as const
