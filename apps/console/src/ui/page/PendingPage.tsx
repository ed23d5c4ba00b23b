import type { ComponentProps } from 'react'
import { Page } from './Page.tsx'
import { Pending } from './states.tsx'

type Props = Pick<ComponentProps<typeof Page>, 'title' | 'up'> & Pick<ComponentProps<typeof Pending>, 'answer'>

/** The page of one thing until it is read. */
export const PendingPage = ({ title, up, answer }: Props) => (
  <Page title={title} {...(up && { up })}>
    <Pending answer={answer} />
  </Page>
)
