import { type ComponentProps, lazy, Suspense } from 'react'
import { Loading } from '../page/states.tsx'
import type { TimeChart } from './TimeChart.tsx'

const Loaded = lazy(() => import('./TimeChart.tsx').then((module) => ({ default: module.TimeChart })))

/** A chart, whose library is downloaded with the first one. */
export const LazyTimeChart = (props: ComponentProps<typeof TimeChart>) => (
  <Suspense fallback={<Loading />}>
    <Loaded {...props} />
  </Suspense>
)
