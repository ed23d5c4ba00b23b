import { Page } from '../../ui/Page.tsx'

export function DevicePage() {
  return <Page title="Device">Soon.</Page>
}
