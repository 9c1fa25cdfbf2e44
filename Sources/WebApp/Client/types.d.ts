// The requests and answers of the public API. Generated from the endpoint table by
// `make pages`; do not edit.

export interface Endpoints {
  "DELETE /auth/keys/{keyID}": {
    path: {
      keyID: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      message: "Action successful";
    };
  };
  "DELETE /data": {
    path: undefined;
    query: {
      type?:
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg";
      from?: string;
      to?: string;
    };
    body: undefined;
    answer: {
      message: "Action successful";
      deleted: number;
      bytesFreed: number;
    };
  };
  "DELETE /devices/{deviceID}": {
    path: {
      deviceID: number;
    };
    query: undefined;
    body: undefined;
    answer: {
      message: "Action successful";
    };
  };
  "DELETE /notifications/push/{subscriptionID}": {
    path: {
      subscriptionID: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      message: "Action successful";
    };
  };
  "DELETE /req/tp/callback": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      message: "Action successful";
    };
  };
  "GET /": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  "GET /auth/activ": {
    path: undefined;
    query: {
      activToken: string;
    };
    body: undefined;
    answer: {
      message: "Account activated" | "Confirmation received";
    };
  };
  "GET /auth/consents": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      consents: Array<{
        document: "privacy" | "terms" | "liability" | "jurisdiction";
        version: string;
        givenAt: string;
      }>;
    };
  };
  "GET /auth/documents": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      documents: Array<{
        document: "privacy" | "terms" | "liability" | "jurisdiction";
        version: string;
        title: string;
        text: string;
        publishedAt: string;
        accountTypes: Array<"single" | "tp">;
        translations: Array<{
          language: "it" | "en";
          title: string;
          text: string;
        }>;
      }>;
    };
  };
  "GET /auth/export": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  "GET /auth/keys": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      keys: Array<{
        keyID: string;
        name: string;
        createdAt: string;
        lastUsedAt: string | null;
      }>;
    };
  };
  "GET /auth/me": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      accountType: "single" | "tp";
      email: string;
      full_name?: string;
      fc?: string;
      company_name?: string;
      piva?: string;
      hospital?: boolean;
      registeredAt: string;
    };
  };
  "GET /auth/password/reset": {
    path: undefined;
    query: {
      token: string;
    };
    body: undefined;
    answer: {
      message: "Link valid";
    };
  };
  "GET /data/accesses": {
    path: undefined;
    query: {
      limit?: number;
      cursor?: string;
      by?: "day";
    };
    body: undefined;
    answer: {
      accesses: Array<{
        number: number;
        time: string;
        company_name?: string;
        piva?: string;
        reqID?: string;
        episodeID?: string;
        contact?: string;
        dataTypes: Array<
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg">;
        samples: number;
        format: string;
      }>;
      next?: string;
    } | {
      days: Array<{
        date: string;
        company_name?: string;
        piva?: string;
        dataTypes: Array<
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg">;
        samples: number;
        deliveries: number;
      }>;
      next?: string;
    };
  };
  "GET /data/compare": {
    path: undefined;
    query: {
      type:
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg";
    };
    body: undefined;
    answer: {
      type:
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg";
      unit: string;
      from: string;
      to: string;
      ageBand: "0-17" | "18-29" | "30-39" | "40-49" | "50-59" | "60-69" | "70-79" | "80+";
      own: {
        mean: number;
        mark: "below" | "within" | "above" | null;
        days: Array<{
          date: string;
          value: number;
          mark: "below" | "within" | "above" | null;
        }>;
      } | null;
      ownMissing?: "no data" | "type off" | "day not closed" | "older";
      others: {
        people: number;
        mean: number;
        releasedAt: string;
      } | null;
      reason?: "too few people";
      reference: {
        from: number | null;
        to: number;
        source: string;
      } | null;
    };
  };
  "GET /data/import": {
    path: undefined;
    query: {
      importID: string;
    };
    body: undefined;
    answer: {
      importID: string;
      state: "running" | "done" | "failed";
      bytesRead: number;
      bytesTotal: number | null;
      samples: number;
      stored: number;
      duplicates: number;
      disabled: number;
      paused: number;
      dropped: number;
      skipped: Record<string, number>;
      error?: {
        line: number;
        column: number;
        detail: string;
      };
    };
  };
  "GET /data/quota": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      bytesUsed: number;
      bytesMax: number;
      oldest: string | null;
    };
  };
  "GET /data/series": {
    path: undefined;
    query: {
      type:
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg";
      from?: string;
      to?: string;
      granularity?: "raw" | "hour" | "day" | "week" | "month";
      cursor?: string;
    };
    body: undefined;
    answer: {
      type:
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg";
      unit: string;
      points: Array<{
        time: string;
        value?: number | string;
        device?: string | null;
        count?: number;
        mean?: number;
        min?: number;
        max?: number;
      }>;
      next?: string;
    };
  };
  "GET /data/stats": {
    path: undefined;
    query: {
      from?: string;
      to?: string;
      types?: string;
    };
    body: undefined;
    answer: {
      dataTypes: Array<{
        parameter:
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg";
        unit: string;
        date: number;
        count: number;
        mean: number;
        median: number;
        p5: number;
        p25: number;
        p75: number;
        p95: number;
        variance: number | null;
        stddev: number | null;
        stderr: number | null;
        min: number;
        max: number;
        tooFew?: boolean;
      }>;
    };
  };
  "GET /devices": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      devices: Array<{
        deviceID: string;
        name: string;
        model: string;
        types: Array<
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg">;
        assignedTypes: Array<
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg">;
        pairedAt: string;
        lastSeen: string | null;
      }>;
    };
  };
  "GET /docs": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  "GET /events": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  "GET /health": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      status: "up";
    };
  };
  "GET /lookup/companies": {
    path: undefined;
    query: {
      query: string;
      limit?: number;
    };
    body: undefined;
    answer: {
      companies: Array<{
        piva: string;
        company_name: string;
        company_description: string;
      }>;
    };
  };
  "GET /lookup/countries": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      countries: Array<{
        code: string;
        names: {
          it: string;
          en: string;
        };
      }>;
    };
  };
  "GET /lookup/dataTypes": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      dataTypes: Array<{
        dataType:
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg";
        names: {
          it: string;
          en: string;
        };
        unit: string;
        kind: "number" | "position" | "code";
        min?: number;
        max?: number;
        values?: Array<string>;
        addsUp: boolean;
        loinc: Array<string>;
      }>;
    };
  };
  "GET /lookup/diseases": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      diseases: Array<{
        code:
          | "tuberculosis"
          | "hiv"
          | "cancer"
          | "anaemia"
          | "thyroid-disease"
          | "diabetes"
          | "obesity"
          | "hypercholesterolaemia"
          | "dementia"
          | "schizophrenia"
          | "depression"
          | "anxiety"
          | "parkinson"
          | "multiple-sclerosis"
          | "epilepsy"
          | "migraine"
          | "sleep-apnoea"
          | "glaucoma"
          | "hypertension"
          | "ischaemic-heart-disease"
          | "atrial-fibrillation"
          | "heart-failure"
          | "stroke"
          | "peripheral-artery-disease"
          | "copd"
          | "asthma"
          | "gastric-reflux"
          | "crohns-disease"
          | "ulcerative-colitis"
          | "coeliac-disease"
          | "liver-cirrhosis"
          | "psoriasis"
          | "rheumatoid-arthritis"
          | "lupus"
          | "osteoarthritis"
          | "osteoporosis"
          | "kidney-disease"
          | "endometriosis";
        names: {
          it: string;
          en: string;
        };
        icd10: Array<string>;
      }>;
    };
  };
  "GET /lookup/municipalities": {
    path: undefined;
    query: {
      query: string;
      limit?: number;
    };
    body: undefined;
    answer: {
      municipalities: Array<{
        name: string;
        otherName?: string;
        istat?: string;
        province: string;
        provinceName: string;
        region: string;
      }>;
    };
  };
  "GET /lookup/provinces": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      provinces: Array<{
        province: string;
        name: string;
        region: string;
      }>;
    };
  };
  "GET /lookup/regions": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      regions: Array<{
        code: number;
        name: string;
      }>;
    };
  };
  "GET /notifications": {
    path: undefined;
    query: {
      language?: "it" | "en";
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    answer: {
      items: Array<{
        id: number;
        kind: "request" | "answer" | "ended" | "room" | "security" | "alarm" | "run";
        time: string;
        read: boolean;
        text: string;
        data: unknown;
      }>;
      unread: number;
      mail: Array<"request" | "answer" | "ended" | "room" | "security" | "alarm" | "run">;
      next?: string;
    };
  };
  "GET /notifications/push": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      publicKey: string;
      subscriptions: Array<{
        subscriptionID: string;
        endpoint: string;
        kinds: Array<"request" | "answer" | "ended" | "room" | "security" | "alarm" | "run">;
        createdAt: string;
        current: boolean;
      }>;
    };
  };
  "GET /openapi.json": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      openapi: string;
    };
  };
  "GET /r/{code}": {
    path: {
      code: string;
    };
    query: {
      runner?: number;
      watch?: "1";
    };
    body: undefined;
    answer: undefined;
  };
  "GET /r/{code}/preview.png": {
    path: {
      code: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  "GET /ready": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      status: "ready";
    };
  };
  "GET /req/single/list": {
    path: undefined;
    query: {
      limit?: number;
      cursor?: string;
      status?: string;
    };
    body: undefined;
    answer: {
      requests: Array<{
        email: string;
        piva: string;
        company_name: string;
        company_description: string;
        preconfirmed: boolean;
        kind: "single" | "check-in";
        runID?: number;
        code?: string;
        runName?: string;
        startTime?: string;
        organiserSees?: Array<string>;
        reqID: string;
        dataTypes: Array<
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg">;
        status:
          | "pending"
          | "accepted"
          | "declined"
          | "expired"
          | "ended"
          | "payment due"
          | "approved"
          | "refused";
        subscribing: boolean;
        duration: number;
        createdAt: string;
        expiresAt: string | null;
        acceptedTypes: Array<
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg"> | null;
        from: string | null;
        to: string | null;
        endsAt?: string;
        reason?: string;
      }>;
      next?: string;
      pending: number;
      followers: number;
    };
  };
  "GET /req/tp/callback": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      url: string;
      active: boolean;
      reason?: string;
      acknowledged: number;
      failedAttempts: number;
      nextAttemptAt?: string;
      previousUntil?: string;
    };
  };
  "GET /req/tp/callback/log": {
    path: undefined;
    query: {
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    answer: {
      registered: boolean;
      calls: Array<{
        id: string;
        time: string;
        delivered: boolean;
        status: number | null;
        error: string | null;
        nextAttemptAt: string | null;
      }>;
      next?: string;
    };
  };
  "GET /req/tp/data": {
    path: undefined;
    query: {
      reqID: string;
      format?: "json" | "csv" | "ndjson" | "fhir";
      cursor?: string;
    };
    body: undefined;
    answer: {
      reqID: string;
      samples: Array<{
        seq: number;
        dataType:
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg";
        value: number | string;
        unit: string;
        timestamp: string;
        device: string | null;
      }>;
      next?: string;
    } | {
      reqID: string;
      people?: number;
      from?: string;
      to?: string;
      releasedAt?: string;
      dataTypes: Array<{
        parameter:
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg";
        unit: string;
        people: number;
        mean: number;
        stddev: number;
        p5: number;
        p25: number;
        median: number;
        p75: number;
        p95: number;
        histogram: Array<{
          from: number;
          to: number;
          share: number;
        }>;
        days: Array<{
          date: string;
          people: number;
          mean: number;
        }>;
      }>;
      groups?: Array<{
        group: string;
        parameter:
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg";
        unit: string;
        people: number;
        mean: number;
        stddev: number;
        p5: number;
        p25: number;
        median: number;
        p75: number;
        p95: number;
        histogram: Array<{
          from: number;
          to: number;
          share: number;
        }>;
      }>;
      next?: string;
    };
  };
  "GET /req/tp/events": {
    path: undefined;
    query: {
      since?: number;
    };
    body: undefined;
    answer: {
      events: Array<{
        seq: number;
        type:
          | "request.answered"
          | "data.created"
          | "request.ended"
          | "data.erased"
          | "data.unavailable"
          | "sos.called"
          | "sos.closed";
        timestamp: string;
        data: unknown;
      }>;
      next: number;
      more: boolean;
    };
  };
  "GET /req/tp/list": {
    path: undefined;
    query: {
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    answer: {
      requests: Array<{
        kind: "single" | "group";
        email?: string;
        fc?: string;
        searchParams: Array<string>;
        groupBy?: string;
        reqID: string;
        dataTypes: Array<
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg">;
        status:
          | "pending"
          | "accepted"
          | "declined"
          | "expired"
          | "ended"
          | "payment due"
          | "approved"
          | "refused";
        subscribing: boolean;
        duration: number;
        createdAt: string;
        expiresAt: string | null;
        acceptedTypes: Array<
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg"> | null;
        from: string | null;
        to: string | null;
        endsAt?: string;
        reason?: string;
        amountDue: number;
        currency: string;
      }>;
      next?: string;
    };
  };
  "GET /req/tp/payments": {
    path: undefined;
    query: {
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    answer: {
      payments: Array<{
        reqID: string;
        amount: number;
        currency: string;
        status: "due" | "paid" | "dropped";
        dueSince: string;
        paidAt: string | null;
      }>;
      next?: string;
    };
  };
  "GET /req/tp/stream": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  "GET /settings/single": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      email: string;
      fc: string;
      full_name: string;
      birthdate: string;
      sex: "F" | "M";
      active: boolean;
      residence?: string;
      residence_istat?: string;
      residence_province?: string;
      residence_region?: string;
      residence_country?: string;
      birth_place?: string;
      birth_istat?: string;
      birth_province?: string;
      birth_region?: string;
      birth_country?: string;
      phone?: string;
      address?: string;
      nationality?: string;
      occupation?: "student" | "employed" | "self-employed" | "unemployed" | "retired" | "other";
      height?: number;
      weight?: number;
      diseases: Array<{
        code: string;
        drugs?: Array<{
          name: string;
          dosesPerDay: number;
        }>;
      }>;
      parent_email?: string;
      language: "it" | "en";
      time_zone: string;
    };
  };
  "GET /settings/single/data": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      types: Array<
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg">;
      enabled: Array<boolean>;
      pausedUntil: string | null;
    };
  };
  "GET /settings/single/preconfirmed": {
    path: undefined;
    query: {
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    answer: {
      thirdParties: Array<{
        piva: string;
        company_name: string;
        company_description: string;
        since: string;
      }>;
      next?: string;
    };
  };
  "GET /settings/tp": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      email: string;
      piva: string;
      company_name: string;
      company_description: string;
      sector?: string;
      phone?: string;
      legal_address?: string;
      billing_address?: string;
      representative?: {
        full_name: string;
        fc?: string;
        phone?: string;
        email?: string;
        office_address?: string;
      };
      payment_method?: "card" | "transfer" | "paypal";
      services: Array<"AutomatedSOS" | "Track4Run">;
      coordinate?: string;
      language: "it" | "en";
      time_zone: string;
    };
  };
  "GET /sos/calls": {
    path: undefined;
    query: {
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    answer: {
      calls: Array<{
        episodeID: string;
        stage:
          | "suspected"
          | "asked"
          | "confirmed"
          | "dispatched"
          | "acknowledged"
          | "closed"
          | "withdrawn"
          | "aborted"
          | "false alarm"
          | "drill over"
          | "unanswered";
        rule:
          | "drill"
          | "heartRateLow"
          | "heartRateHigh"
          | "bloodPressureLow"
          | "bloodPressureHigh"
          | "fall"
          | "shaking"
          | "lossOfPulse";
        suspectedAt: string;
        confirmedAt?: string;
        calledAt: string;
        call: number;
        acknowledgedAt?: string;
        person: {
          full_name: string;
          birthdate?: string;
          sex?: string;
          phone?: string;
        };
        readings: Array<{
          dataType:
            | "position"
            | "heartRate"
            | "bloodPressureSystolic"
            | "bloodPressureDiastolic"
            | "oxygenSaturation"
            | "respiratoryRate"
            | "bodyTemperature"
            | "bloodGlucose"
            | "weight"
            | "height"
            | "steps"
            | "walkingRunningDistance"
            | "standHours"
            | "activeEnergy"
            | "restingEnergy"
            | "nutritionEnergy"
            | "sleepHours"
            | "speed"
            | "ambientPressure"
            | "activity"
            | "fall"
            | "shaking"
            | "ecg";
          value: string;
          unit: string;
          timestamp: string;
          basis: boolean;
        }>;
        position: {
          coordinate: string;
          time: string;
          stale: boolean;
        } | null;
      }>;
      next?: string;
      onDuty: boolean;
      coordinate?: string;
    };
  };
  "GET /sos/contact": {
    path: undefined;
    query: {
      token: string;
    };
    body: undefined;
    answer: {
      message: "Link valid";
      full_name?: string;
      state: "asked" | "agreed" | "declined";
      mayAgree: boolean;
    };
  };
  "GET /sos/history": {
    path: undefined;
    query: {
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    answer: {
      episodes: Array<{
        episodeID: string;
        stage:
          | "suspected"
          | "asked"
          | "confirmed"
          | "dispatched"
          | "acknowledged"
          | "closed"
          | "withdrawn"
          | "aborted"
          | "false alarm"
          | "drill over"
          | "unanswered";
        rule:
          | "drill"
          | "heartRateLow"
          | "heartRateHigh"
          | "bloodPressureLow"
          | "bloodPressureHigh"
          | "fall"
          | "shaking"
          | "lossOfPulse";
        drill: boolean;
        suspectedAt: string;
        abortUntil: string;
        askedAt?: string;
        confirmedAt?: string;
        dispatchedAt?: string;
        acknowledgedAt?: string;
        endedAt?: string;
        outcome?: "helped" | "nobody found" | "false alarm" | "handed over";
        readings: Array<{
          dataType:
            | "position"
            | "heartRate"
            | "bloodPressureSystolic"
            | "bloodPressureDiastolic"
            | "oxygenSaturation"
            | "respiratoryRate"
            | "bodyTemperature"
            | "bloodGlucose"
            | "weight"
            | "height"
            | "steps"
            | "walkingRunningDistance"
            | "standHours"
            | "activeEnergy"
            | "restingEnergy"
            | "nutritionEnergy"
            | "sleepHours"
            | "speed"
            | "ambientPressure"
            | "activity"
            | "fall"
            | "shaking"
            | "ecg";
          value: string;
          unit: string;
          timestamp: string;
          basis: boolean;
        }>;
        position: {
          coordinate: string;
          time: string;
          stale: boolean;
        } | null;
        calls: Array<{
          hospital: string | null;
          contact?: string;
          voice: boolean;
          allClear?: boolean;
          calledAt: string;
          acknowledgedAt?: string;
          withdrawnAt?: string;
        }>;
      }>;
      next?: string;
    };
  };
  "GET /sos/settings": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      enabled: boolean;
      permittedAt: string | null;
      language: "it" | "en";
      pausedUntil: string | null;
      confirmSeconds: number;
      abortSeconds: number;
      pulseAbortSeconds: number;
      ageMonths: number;
      thresholds: Array<{
        name:
          | "heartRateLow"
          | "heartRateHigh"
          | "systolicLow"
          | "systolicHigh"
          | "diastolicHigh";
        value: number | null;
        own: boolean;
        min: number;
        max: number;
      }>;
      contacts?: Array<{
        name: string;
        email: string;
        phone?: string;
        state: "asked" | "agreed" | "declined" | "not asked";
      }>;
      missing: Array<
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg">;
      notice: string;
    };
  };
  "GET /t4r/active/clauses": {
    path: undefined;
    query: {
      runID: number;
      version?: number;
    };
    body: undefined;
    answer: {
      runID: number;
      version: number;
      text: string;
      since: string;
    };
  };
  "GET /t4r/active/list": {
    path: undefined;
    query: {
      code?: string;
      name?: string;
      place?: string;
      near?: string;
      radius?: number;
      state?: "open" | "live" | "ended";
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    answer: {
      run: Array<{
        runID: number;
        code: string;
        runName: string;
        place?: string;
        startTime: string;
        endTime: string;
        endPoint: string;
        participants: number;
        enrolled: number;
        state: "open" | "live" | "ended";
        organiser: string;
        picture?: string;
      }>;
      next?: string;
    };
  };
  "GET /t4r/active/placings": {
    path: undefined;
    query: {
      runID: number;
    };
    body: undefined;
    answer: {
      runID: number;
      state: "open" | "live" | "ended";
      watching: number;
      placings: Array<{
        number?: number;
        runnerName: string;
        status:
          | "checked in"
          | "running"
          | "off course"
          | "signal lost"
          | "finished"
          | "paused"
          | "did not start"
          | "did not finish";
        coordinate?: string;
        time?: string;
        place?: number;
        distance?: number;
        seconds?: number;
        averagePace?: number;
        currentPace?: number;
        finishTime?: string;
        paused?: boolean;
        heartRate?: number;
        heartRateTime?: string;
        meanHeartRate?: number;
        activeEnergy?: number;
      }>;
    };
  };
  "GET /t4r/active/stream": {
    path: undefined;
    query: {
      runID: number;
    };
    body: undefined;
    answer: undefined;
  };
  "GET /t4r/my/list": {
    path: undefined;
    query: {
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    answer: {
      runs: Array<{
        runID: number;
        code: string;
        runName: string;
        organiser: string;
        place?: string;
        startTime: string;
        endTime: string;
        state: "open" | "live" | "ended";
        cancelled: boolean;
        number: number;
        runnerName?: string;
        showHealth: boolean;
        findable: boolean;
        findableByName: boolean;
        joinedAt: string;
        checkedIn: boolean;
        clausesVersion?: number;
        clausesAcceptedAt?: string;
      }>;
      next?: string;
    };
  };
  "GET /t4r/my/stats": {
    path: undefined;
    query: {
      runID: number;
    };
    body: undefined;
    answer: {
      runID: number;
      runName: string;
      state: "open" | "live" | "ended";
      final: boolean;
      number: number;
      link?: string;
      preview?: string;
      runners: Array<{
        number: number;
        runnerName: string;
        own: boolean;
        status: string;
        place?: number;
        finishTime?: string;
        distance?: number;
        seconds?: number;
        averagePace?: number;
        currentPace?: number;
        splits?: Array<{
          distance: number;
          seconds: number;
          pace: number;
        }>;
        heartRate?: number;
        activeEnergy?: number;
      }>;
    };
  };
  "GET /t4r/my/track": {
    path: undefined;
    query: {
      runID: number;
    };
    body: undefined;
    answer: undefined;
  };
  "GET /t4r/org/download": {
    path: undefined;
    query: {
      runID: number;
      format?: "csv" | "ndjson" | "gpx";
    };
    body: undefined;
    answer: undefined;
  };
  "GET /t4r/org/list": {
    path: undefined;
    query: {
      when?: "past" | "present" | "future";
      name?: string;
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    answer: {
      runs: Array<{
        runID: number;
        runName: string;
        code?: string;
        description?: string;
        place?: string;
        startTime: string;
        endTime: string;
        enrolUntil: string;
        participants: number;
        enrolled: number;
        state: "open" | "live" | "ended";
        published: boolean;
        cancelled: boolean;
        clausesVersion?: number;
        coOrganised: boolean;
        coOrganisers: Array<string>;
      }>;
      next?: string;
    };
  };
  "GET /t4r/org/live": {
    path: undefined;
    query: {
      runID: number;
    };
    body: undefined;
    answer: {
      runID: number;
      state: "open" | "live" | "ended";
      watching: number;
      runners: Array<{
        number?: number;
        runnerName: string;
        status:
          | "checked in"
          | "running"
          | "off course"
          | "signal lost"
          | "finished"
          | "paused"
          | "did not start"
          | "did not finish";
        coordinate?: string;
        time?: string;
        place?: number;
        distance?: number;
        seconds?: number;
        averagePace?: number;
        currentPace?: number;
        finishTime?: string;
        paused?: boolean;
        heartRate?: number;
        heartRateTime?: string;
        meanHeartRate?: number;
        activeEnergy?: number;
      }>;
    };
  };
  "GET /t4r/org/participants": {
    path: undefined;
    query: {
      runID: number;
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    answer: {
      participants: Array<{
        number: number;
        runnerName?: string;
        full_name?: string;
        email?: string;
        joinedAt: string;
        checkedIn: boolean;
        removed: boolean;
        clausesVersion?: number;
        clausesAcceptedAt?: string;
      }>;
      next?: string;
    };
  };
  "GET /t4r/run/{code}": {
    path: {
      code: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      runID: number;
      code: string;
      runName: string;
      description?: string;
      place?: string;
      organiser: string;
      startTime: string;
      endTime: string;
      enrolUntil: string;
      endPoint: string;
      length: number;
      participants: number;
      enrolled: number;
      state: "open" | "live" | "ended";
      link: string;
      qrCode: string;
      picture?: string;
      clausesVersion?: number;
      clauses?: string;
    };
  };
  "GET /t4r/run/{code}/picture": {
    path: {
      code: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  "GET /t4r/run/{code}/qr.svg": {
    path: {
      code: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  "GET /t4r/tiles/{z}/{x}/{y}": {
    path: {
      z: number;
      x: number;
      y: number;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  "POST /auth/activ/resend": {
    path: undefined;
    query: undefined;
    body: {
      email: string;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /auth/delete": {
    path: undefined;
    query: undefined;
    body: {
      password: string;
      confirm: "DELETE";
    };
    answer: {
      message: "Account deleted";
    };
  };
  "POST /auth/keys": {
    path: undefined;
    query: undefined;
    body: {
      name: string;
    };
    answer: {
      keyID: string;
      key: string;
    };
  };
  "POST /auth/login": {
    path: undefined;
    query: undefined;
    body: {
      email: string;
      password: string;
      replace?: boolean;
      cookie?: boolean;
    };
    answer: {
      message: "Login successful";
      authToken?: string;
      accountType: "single" | "tp";
      expiresAt: string;
    };
  };
  "POST /auth/logout": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      message: "Action successful";
    };
  };
  "POST /auth/password/forgot": {
    path: undefined;
    query: undefined;
    body: {
      email: string;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /auth/password/reset": {
    path: undefined;
    query: undefined;
    body: {
      token: string;
      newPassword: string;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /auth/reg/single": {
    path: undefined;
    query: undefined;
    body: {
      email: string;
      password: string;
      fc: string;
      full_name: string;
      birthdate: string;
      sex: "F" | "M";
      parent_email?: string;
      consents?: Array<{
        document: "privacy" | "terms" | "liability" | "jurisdiction";
        version: string;
      }>;
      phone?: string | null;
      address?: string | null;
      residence?: string | {
        country: string;
        place: string;
      } | null;
      birth_place?: string | {
        country: string;
        place: string;
      } | null;
      nationality?: string | null;
      occupation?:
        | "student"
        | "employed"
        | "self-employed"
        | "unemployed"
        | "retired"
        | "other"
        | null;
      height?: number | null;
      weight?: number | null;
      diseases?: Array<{
        code: string;
        drugs?: Array<{
          name: string;
          dosesPerDay: number;
        }>;
      }> | null;
      language?: "it" | "en" | null;
      time_zone?: string | null;
    };
    answer: {
      message: "Registration successful";
    };
  };
  "POST /auth/reg/tp": {
    path: undefined;
    query: undefined;
    body: {
      email: string;
      password: string;
      piva: string;
      company_name: string;
      company_description: string;
      consents?: Array<{
        document: "privacy" | "terms" | "liability" | "jurisdiction";
        version: string;
      }>;
      sector?: string | null;
      phone?: string | null;
      legal_address?: string | null;
      billing_address?: string | null;
      representative?: {
        full_name: string;
        fc?: string;
        phone?: string;
        email?: string;
        office_address?: string;
      } | null;
      payment_method?: "card" | "transfer" | "paypal" | null;
      services?: Array<"AutomatedSOS" | "Track4Run"> | null;
      coordinate?: string | null;
      language?: "it" | "en" | null;
      time_zone?: string | null;
    };
    answer: {
      message: "Registration successful";
    };
  };
  "POST /data/import": {
    path: undefined;
    query: {
      format: "apple-health" | "health-auto-export" | "gpx";
    };
    body: undefined;
    answer: {
      importID: string;
    };
  };
  "POST /data/pause": {
    path: undefined;
    query: undefined;
    body: {
      until: string | null;
    };
    answer: {
      message: "Settings updated";
      pausedUntil: string | null;
    };
  };
  "POST /data/upload": {
    path: undefined;
    query: undefined;
    body: {
      dataTypes: Array<
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg">;
      values: Array<string | number>;
      timestamp: Array<string>;
      onBody?: Array<boolean | null>;
    };
    answer: {
      message: "Action successful";
      stored: number;
      duplicates: number;
      disabled: number;
      paused: number;
      dropped: number;
      sensorFaults: number;
    };
  };
  "POST /devices/assign": {
    path: undefined;
    query: undefined;
    body: {
      type:
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg";
      deviceID: string;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /devices/pair/confirm": {
    path: undefined;
    query: undefined;
    body: {
      code: string;
      accept?: boolean;
      replaces?: string;
    };
    answer: {
      name: string;
      model: string;
      types: Array<
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg">;
      deviceID?: string;
    };
  };
  "POST /devices/pair/finish": {
    path: undefined;
    query: undefined;
    body: {
      pairingID: string;
      pairingSecret: string;
    };
    answer: {
      deviceToken: string;
      deviceID: string;
    } | {
      message: string;
    };
  };
  "POST /devices/pair/start": {
    path: undefined;
    query: undefined;
    body: {
      name: string;
      model: string;
      types: Array<
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg">;
    };
    answer: {
      pairingID: string;
      pairingSecret: string;
      code: string;
      expiresIn: number;
    };
  };
  "POST /notifications/mail": {
    path: undefined;
    query: undefined;
    body: {
      kinds: Array<"request" | "answer" | "ended" | "room" | "security" | "alarm" | "run">;
    };
    answer: {
      message: "Settings updated";
    };
  };
  "POST /notifications/push": {
    path: undefined;
    query: undefined;
    body: {
      endpoint: string;
      p256dh: string;
      auth: string;
      kinds?: Array<"request" | "answer" | "ended" | "room" | "security" | "alarm" | "run">;
    };
    answer: {
      subscriptionID: string;
    };
  };
  "POST /notifications/read": {
    path: undefined;
    query: undefined;
    body: {
      ids: Array<number>;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /pay/confirm": {
    path: undefined;
    query: undefined;
    body: {
      type: string;
      data: {
        object: {};
      };
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /req/single/choice": {
    path: undefined;
    query: undefined;
    body: {
      reqID: string;
      choice: "accept" | "decline";
      dataTypes?: Array<
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg">;
      duration?: number;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /req/single/end": {
    path: undefined;
    query: undefined;
    body: {
      reqID: string;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /req/tp/callback": {
    path: undefined;
    query: undefined;
    body: {
      url: string;
    };
    answer: {
      secret: string;
    };
  };
  "POST /req/tp/callback/resend": {
    path: undefined;
    query: undefined;
    body: {
      since: number;
    };
    answer: {
      message: "Action successful";
      acknowledged: number;
    };
  };
  "POST /req/tp/callback/secret": {
    path: undefined;
    query: undefined;
    body: {
      overlap?: number;
    };
    answer: {
      secret: string;
      previousUntil?: string;
    };
  };
  "POST /req/tp/callback/test": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      delivered: boolean;
      status?: number;
      error?: string;
    };
  };
  "POST /req/tp/end": {
    path: undefined;
    query: undefined;
    body: {
      reqID: string;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /req/tp/mail": {
    path: undefined;
    query: undefined;
    body: {
      reqID: string;
      format: "json" | "csv" | "ndjson" | "fhir";
    };
    answer: {
      message: string;
      sentAs: "attachment" | "link";
    };
  };
  "POST /req/tp/pay": {
    path: undefined;
    query: undefined;
    body: {
      reqID: string;
    };
    answer: {
      checkoutURL: string;
    };
  };
  "POST /req/tp/price": {
    path: undefined;
    query: undefined;
    body: {
      reqID?: null | "" | string;
      email?: null | "" | string;
      fc?: null | "" | string;
      dataTypes: Array<
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg">;
      subscribing: boolean;
      duration?: null | "" | number;
      from?: string;
      to?: string;
      searchParams?: Array<string>;
      groupBy?: "ageBand" | "sex" | "region";
    };
    answer: {
      kind: "single" | "group";
      amountDue: number;
      currency: string;
    };
  };
  "POST /req/tp/sendGroup": {
    path: undefined;
    query: undefined;
    body: {
      reqID?: null | "" | string;
      dataTypes: Array<
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg">;
      searchParams: Array<string>;
      groupBy?: "ageBand" | "sex" | "region";
      subscribing: boolean;
      duration?: null | "" | number;
      from?: string;
      to?: string;
    };
    answer: {
      reqID: string;
      status: "approved" | "refused" | "payment due";
      reason?: "too few people" | "no data";
    };
  };
  "POST /req/tp/sendSingle": {
    path: undefined;
    query: undefined;
    body: {
      reqID?: null | "" | string;
      email?: null | "" | string;
      fc?: null | "" | string;
      dataTypes: Array<
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg">;
      subscribing: boolean;
      duration?: null | "" | number;
      from?: string;
      to?: string;
    };
    answer: {
      reqID: string;
      status:
        | "pending"
        | "accepted"
        | "declined"
        | "expired"
        | "ended"
        | "payment due"
        | "approved"
        | "refused";
    };
  };
  "POST /settings/single/data": {
    path: undefined;
    query: undefined;
    body: {
      types: Array<
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg">;
      enabled: Array<boolean>;
    };
    answer: {
      message: "Settings updated";
    };
  };
  "POST /settings/single/info": {
    path: undefined;
    query: undefined;
    body: {
      password: string;
      newPassword?: string;
      endKeysAndDevices?: boolean;
      full_name?: string;
      birthdate?: string;
      sex?: "F" | "M";
      consents?: Array<{
        document: "privacy" | "terms" | "liability" | "jurisdiction";
        version: string;
      }>;
      phone?: string | null;
      address?: string | null;
      residence?: string | {
        country: string;
        place: string;
      } | null;
      birth_place?: string | {
        country: string;
        place: string;
      } | null;
      nationality?: string | null;
      occupation?:
        | "student"
        | "employed"
        | "self-employed"
        | "unemployed"
        | "retired"
        | "other"
        | null;
      height?: number | null;
      weight?: number | null;
      diseases?: Array<{
        code: string;
        drugs?: Array<{
          name: string;
          dosesPerDay: number;
        }>;
      }> | null;
      language?: "it" | "en" | null;
      time_zone?: string | null;
    };
    answer: {
      message: "Settings updated";
      authToken?: string;
      expiresAt?: string;
    };
  };
  "POST /settings/single/preconfirmed": {
    path: undefined;
    query: undefined;
    body: {
      piva?: string;
      email?: string;
      allowed: boolean;
    };
    answer: {
      message: "Settings updated";
    };
  };
  "POST /settings/single/status": {
    path: undefined;
    query: undefined;
    body: {
      active: boolean;
    };
    answer: {
      message: "Settings updated";
    };
  };
  "POST /settings/tp/info": {
    path: undefined;
    query: undefined;
    body: {
      password: string;
      newPassword?: string;
      endKeysAndDevices?: boolean;
      company_name?: string;
      company_description?: string;
      consents?: Array<{
        document: "privacy" | "terms" | "liability" | "jurisdiction";
        version: string;
      }>;
      sector?: string | null;
      phone?: string | null;
      legal_address?: string | null;
      billing_address?: string | null;
      representative?: {
        full_name: string;
        fc?: string;
        phone?: string;
        email?: string;
        office_address?: string;
      } | null;
      payment_method?: "card" | "transfer" | "paypal" | null;
      services?: Array<"AutomatedSOS" | "Track4Run"> | null;
      coordinate?: string | null;
      language?: "it" | "en" | null;
      time_zone?: string | null;
    };
    answer: {
      message: "Settings updated";
      authToken?: string;
      expiresAt?: string;
    };
  };
  "POST /sos/abort": {
    path: undefined;
    query: undefined;
    body: {
      episodeID: string;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /sos/acknowledge": {
    path: undefined;
    query: undefined;
    body: {
      episodeID: string;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /sos/alert": {
    path: undefined;
    query: undefined;
    body: {
      rule:
        | "heartRateLow"
        | "heartRateHigh"
        | "bloodPressureLow"
        | "bloodPressureHigh"
        | "fall"
        | "shaking"
        | "lossOfPulse";
      readings: Array<{
        dataType:
          | "position"
          | "heartRate"
          | "bloodPressureSystolic"
          | "bloodPressureDiastolic"
          | "oxygenSaturation"
          | "respiratoryRate"
          | "bodyTemperature"
          | "bloodGlucose"
          | "weight"
          | "height"
          | "steps"
          | "walkingRunningDistance"
          | "standHours"
          | "activeEnergy"
          | "restingEnergy"
          | "nutritionEnergy"
          | "sleepHours"
          | "speed"
          | "ambientPressure"
          | "activity"
          | "fall"
          | "shaking"
          | "ecg";
        value: string | number;
        timestamp: string;
        onBody?: boolean | null;
      }>;
      coordinate?: string;
      last?: boolean;
    };
    answer: {
      episodeID: string;
      stage:
        | "suspected"
        | "asked"
        | "confirmed"
        | "dispatched"
        | "acknowledged"
        | "closed"
        | "withdrawn"
        | "aborted"
        | "false alarm"
        | "drill over"
        | "unanswered";
      quietUntil?: string;
    };
  };
  "POST /sos/contact": {
    path: undefined;
    query: undefined;
    body: {
      token: string;
      agree: boolean;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /sos/contacts": {
    path: undefined;
    query: undefined;
    body: {
      contacts: Array<{
        name: string;
        email: string;
        phone?: string;
      }>;
    };
    answer: {
      message: "Settings updated";
      notAsked?: Array<string>;
      notice?: string;
    };
  };
  "POST /sos/disable": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      message: "AutomatedSOS disabled";
    };
  };
  "POST /sos/drill": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: {
      episodeID: string;
    };
  };
  "POST /sos/duty": {
    path: undefined;
    query: undefined;
    body: {
      onDuty: boolean;
      coordinate?: string;
    };
    answer: {
      message: "Settings updated";
    };
  };
  "POST /sos/enable": {
    path: undefined;
    query: undefined;
    body: {
      callPermission: boolean;
      language?: "it" | "en";
    };
    answer: {
      message: "AutomatedSOS enabled" | "AutomatedSOS disabled";
      missing?: Array<
        | "position"
        | "heartRate"
        | "bloodPressureSystolic"
        | "bloodPressureDiastolic"
        | "oxygenSaturation"
        | "respiratoryRate"
        | "bodyTemperature"
        | "bloodGlucose"
        | "weight"
        | "height"
        | "steps"
        | "walkingRunningDistance"
        | "standHours"
        | "activeEnergy"
        | "restingEnergy"
        | "nutritionEnergy"
        | "sleepHours"
        | "speed"
        | "ambientPressure"
        | "activity"
        | "fall"
        | "shaking"
        | "ecg">;
      notice?: string;
    };
  };
  "POST /sos/falseAlarm": {
    path: undefined;
    query: undefined;
    body: {
      episodeID: string;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /sos/outcome": {
    path: undefined;
    query: undefined;
    body: {
      episodeID: string;
      outcome: "helped" | "nobody found" | "false alarm" | "handed over";
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /sos/pause": {
    path: undefined;
    query: undefined;
    body: {
      until: string | null;
    };
    answer: {
      message: "Settings updated";
      pausedUntil: string | null;
    };
  };
  "POST /sos/thresholds": {
    path: undefined;
    query: undefined;
    body: {
      heartRateLow?: number | null;
      heartRateHigh?: number | null;
      systolicLow?: number | null;
      systolicHigh?: number | null;
      diastolicHigh?: number | null;
    };
    answer: {
      message: "Settings updated";
    };
  };
  "POST /t4r/active/invite": {
    path: undefined;
    query: undefined;
    body: {
      runID: number | string;
      emails: Array<string>;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /t4r/active/join": {
    path: undefined;
    query: undefined;
    body: {
      runID: number | string;
      runnerName?: string;
      showHealth?: boolean;
      findable?: boolean;
      findableByName?: boolean;
      clausesVersion?: number;
    };
    answer: {
      message: "Run joined successfully";
      number: number;
      warnings: Array<{
        warning: "no position" | "ask a doctor";
        detail: string;
      }>;
    };
  };
  "POST /t4r/active/leave": {
    path: undefined;
    query: undefined;
    body: {
      runID: number | string;
      keepName?: boolean;
    };
    answer: {
      message: "Action successful";
      resultKept: boolean;
    };
  };
  "POST /t4r/active/spec": {
    path: undefined;
    query: undefined;
    body: {
      runID: number | string;
    };
    answer: {
      runID: number;
      code: string;
      runName: string;
      description?: string;
      place?: string;
      startTime: string;
      endTime: string;
      enrolUntil: string;
      participants: number;
      enrolled: number;
      state: "open" | "live" | "ended";
      organiser: string;
      length: number;
      watching: number;
      clausesVersion?: number;
      picture?: string;
      path: Array<{
        coordinate: string;
      }>;
    };
  };
  "POST /t4r/active/specUpdate": {
    path: undefined;
    query: undefined;
    body: {
      runID: number | string;
      runners?: Array<{
        name?: string;
        fullName?: string;
        email?: string;
        fc?: string;
      }>;
    };
    answer: {
      runID: number;
      state: "open" | "live" | "ended";
      watching: number;
      runners: Array<{
        number?: number;
        runnerName: string;
        status:
          | "checked in"
          | "running"
          | "off course"
          | "signal lost"
          | "finished"
          | "paused"
          | "did not start"
          | "did not finish";
        coordinate?: string;
        time?: string;
        place?: number;
        distance?: number;
        seconds?: number;
        averagePace?: number;
        currentPace?: number;
        finishTime?: string;
        paused?: boolean;
        heartRate?: number;
        heartRateTime?: string;
        meanHeartRate?: number;
        activeEnergy?: number;
      }>;
    };
  };
  "POST /t4r/my/pause": {
    path: undefined;
    query: undefined;
    body: {
      runID: number | string;
      paused: boolean;
    };
    answer: {
      message: "Settings updated";
      paused: boolean;
    };
  };
  "POST /t4r/my/settings": {
    path: undefined;
    query: undefined;
    body: {
      runID: number | string;
      runnerName?: string;
      showHealth?: boolean;
      findable?: boolean;
      findableByName?: boolean;
    };
    answer: {
      message: "Settings updated";
      runnerName?: string;
      showHealth: boolean;
      findable: boolean;
      findableByName: boolean;
    };
  };
  "POST /t4r/org/cancel": {
    path: undefined;
    query: undefined;
    body: {
      runID: number | string;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /t4r/org/coorganiser": {
    path: undefined;
    query: undefined;
    body: {
      runID: number | string;
      email: string;
      allowed: boolean;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /t4r/org/create": {
    path: undefined;
    query: undefined;
    body: {
      runName: string;
      startTime: string;
      endTime: string;
      participants: number;
      description?: string;
      enrolUntil?: string;
      place?: string;
      clauses?: string;
    };
    answer: {
      message: "Info set successfully";
      runID: number;
    };
  };
  "POST /t4r/org/invite": {
    path: undefined;
    query: undefined;
    body: {
      runID: number | string;
      emails: Array<string>;
    };
    answer: {
      message: "Action successful";
    };
  };
  "POST /t4r/org/path": {
    path: undefined;
    query: {
      runID?: number;
    };
    body: {
      runID: number | string;
      path: Array<{
        coordinate: string;
      }>;
    };
    answer: {
      message: "Run created successfully";
      code: string;
    };
  };
  "POST /t4r/org/path/check": {
    path: undefined;
    query: undefined;
    body: {
      runID?: number | string;
      startTime?: string;
      path: Array<{
        coordinate: string;
      }>;
    };
    answer: {
      valid: boolean;
      length: number;
      faults: Array<{
        fault:
          | "too few points"
          | "too many points"
          | "leg too long"
          | "too long"
          | "along another run";
        legs: Array<number>;
        detail: string;
      }>;
    };
  };
  "POST /t4r/org/picture": {
    path: undefined;
    query: {
      runID: number;
    };
    body: undefined;
    answer: {
      message: "Action successful";
      width: number;
      height: number;
    };
  };
  "POST /t4r/org/update": {
    path: undefined;
    query: undefined;
    body: {
      runID: number | string;
      runName?: string;
      startTime?: string;
      endTime?: string;
      participants?: number;
      description?: string;
      enrolUntil?: string;
      place?: string;
      clauses?: string;
    };
    answer: {
      message: "Run updated successfully";
      removed: number;
    };
  };
}
