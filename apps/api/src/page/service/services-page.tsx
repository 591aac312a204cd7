import { PartPager } from '../layout/part-pager.tsx';
import type { LoadedServices } from './load-services.ts';
import { ServiceRow } from './service-row.tsx';

export interface ServicesPageProps {
  readonly services: LoadedServices;
  readonly at: Date;
  readonly from: number;
  /** On one page. */
  readonly most: number;
}

/** Every service the key may see, with its gate, availability and flap strip; those that are held come first. */
export function ServicesPage({ services: { items, total }, at, from, most }: ServicesPageProps) {
  return (
    <>
      <h1>Services</h1>
      <p class="hint">
        Availability is the share of time in which no incident about the service was open, over its life if that is
        shorter. The strip shows the last 24 hours: tall bars are incidents, short ones disconnects.
      </p>
      <section id="list" data-live="" aria-label="Services, held ones first">
        {total === 0 ? (
          <p class="empty">No service is configured yet, or none that your key may see. Name one in tidegate.yaml.</p>
        ) : null}
        {items.length === 0 ? null : (
          <ul class="services">
            {items.map((loaded) => (
              <ServiceRow loaded={loaded} at={at} />
            ))}
          </ul>
        )}
        <PartPager path="/services" total={total} from={from} most={most} />
      </section>
    </>
  );
}
