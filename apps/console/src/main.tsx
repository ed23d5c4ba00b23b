import './styles.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { Tooltip } from '@base-ui/react/tooltip'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { areas } from './areas.ts'
import { worthRetrying } from './queries.ts'
import { createConsoleRouter } from './routes.tsx'
import { noteRefusal } from './session/activation.ts'
import { ProofDialog } from './session/ProofDialog.tsx'
import { followSession } from './session/transitions.ts'
import { AreasContext } from './shell/areas.ts'
import { styleNonce } from './styleNonce.ts'
import { Toasts } from './ui/dialog/toasts.tsx'
import { applyTheme } from './ui/page/theme.ts'

applyTheme()
// A newer version was installed while this page was open, and its files have other names.
window.addEventListener('vite:preloadError', () => window.location.reload())
// Without a connection people are notified at once; the library would wait silently until there is one.
const networkMode = 'always'
const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteRefusal }),
  defaultOptions: {
    queries: { retry: worthRetrying, refetchOnWindowFocus: true, networkMode },
    mutations: { networkMode },
  },
})
const router = createConsoleRouter(queries)
followSession(queries, {
  isInside: () => router.state.matches.some(({ routeId }) => routeId === '/app'),
  toStart: () => router.navigate({ to: '/', search: {} }),
  async toLogin(reason) {
    const { href } = router.state.location
    if (!router.state.matches.some(({ routeId }) => routeId === '/app')) return
    const next = reason === 'expired' && href !== '/' ? href : undefined
    await router.navigate({ to: '/login', search: { next, ended: reason }, replace: true })
  },
  again: () => router.invalidate(),
})

const root = document.getElementById('console')
if (root === null) throw new Error('the page has no place for the console')
createRoot(root).render(
  <StrictMode>
    <CSPProvider nonce={styleNonce}>
      <QueryClientProvider client={queries}>
        <Tooltip.Provider delay={400}>
          <AreasContext value={areas}>
            <RouterProvider router={router} />
          </AreasContext>
          <ProofDialog />
          <Toasts />
        </Tooltip.Provider>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
