/** The part of Chart.js 3.9 that `chart.js` uses; Debian's package has no declarations. */
export interface ChartPoint {
  x: number;
  y: number | null;
}

export interface ChartDataset {
  label: string;
  data: ChartPoint[];
  type?: "line" | "bar";
  borderColor?: string;
  /** One for all points, or one for each. */
  backgroundColor?: string | string[];
  borderWidth?: number | number[];
  borderDash?: number[];
  pointRadius?: number;
  pointStyle?: "circle" | "rect" | "triangle" | "rectRot";
  fill?: boolean | string | number;
  spanGaps?: boolean | number;
  tension?: number;
  order?: number;
  barThickness?: number;
}

export interface ChartScale {
  min: number;
  max: number;
  ticks: { value: number }[];
}

export interface ChartAxis {
  type: "linear";
  min?: number;
  max?: number;
  beginAtZero?: boolean;
  grace?: string;
  title?: { display: boolean; text: string; color: string };
  grid: { color: string };
  ticks: {
    color: string;
    maxRotation?: number;
    autoSkip?: boolean;
    callback: (value: number) => string;
  };
  afterBuildTicks?: (scale: ChartScale) => void;
}

export interface ChartTooltipItem {
  dataset: ChartDataset;
  parsed: { x: number; y: number };
}

export interface ChartConfiguration {
  type: "line" | "bar";
  data: { datasets: ChartDataset[] };
  options: {
    animation: false;
    responsive: boolean;
    maintainAspectRatio: boolean;
    parsing: false;
    normalized: boolean;
    interaction: { mode: "nearest" | "index"; axis: "x"; intersect: boolean };
    scales: { x: ChartAxis; y: ChartAxis };
    plugins: {
      legend: {
        display: boolean;
        labels: {
          color: string;
          usePointStyle: boolean;
          boxHeight: number;
          filter: (
            item: { text: string; datasetIndex: number },
            data: { datasets: ChartDataset[] },
          ) => boolean;
        };
      };
      decimation: { enabled: boolean; algorithm: "min-max" };
      tooltip: {
        callbacks: {
          title: (items: ChartTooltipItem[]) => string;
          label: (item: ChartTooltipItem) => string;
        };
      };
    };
  };
}

export interface ChartInstance {
  options: ChartConfiguration["options"];
  data: ChartConfiguration["data"];
  update(): void;
  resize(): void;
  destroy(): void;
}

export type ChartConstructor = new (
  canvas: HTMLCanvasElement,
  configuration: ChartConfiguration,
) => ChartInstance;
