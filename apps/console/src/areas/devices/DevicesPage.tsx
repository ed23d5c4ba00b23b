import { Page } from '../../ui/Page.tsx'

export function DevicesPage() {
  return <Page title="Devices">Soon.</Page>
}
